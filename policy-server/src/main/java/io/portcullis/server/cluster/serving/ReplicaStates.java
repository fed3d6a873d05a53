package io.portcullis.server.cluster.serving;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.serving.ServingPlan.Mishap;
import io.portcullis.server.standalone.PolicyState;
import io.portcullis.server.standalone.PolicyState.Phase;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** What {@code GET /policies} shows of a replica's revisions. */
final class ReplicaStates {

    /** No two wanted revisions share it. */
    private record Address(String id, long generation) {}

    private ReplicaStates() {}

    static List<PolicyState> of(
            List<ObservedRevision> wanted,
            Holdings holdings,
            Map<String, Mishap> mishaps,
            Instant now,
            List<PolicyState> before) {
        Map<Address, PolicyState> known = before.stream()
                .collect(Collectors.toMap(state -> new Address(state.id(), state.generation()), state -> state));
        return wanted.stream()
                .map(revision -> since(state(revision, holdings, mishaps, now), known))
                .sorted(Comparator.comparing(PolicyState::id).thenComparingLong(PolicyState::generation))
                .toList();
    }

    private static PolicyState state(
            ObservedRevision revision, Holdings holdings, Map<String, Mishap> mishaps, Instant now) {
        var holding = holdings.of(revision.name());
        var mishap = Optional.ofNullable(mishaps.get(revision.name()));
        var phase = holding.isPresent() ? Phase.ACTIVE : mishap.isPresent() ? Phase.FAILED : Phase.LOADING;
        return new PolicyState(
                revision.policyId(),
                revision.generation(),
                holding.isPresent() ? OptionalLong.of(revision.generation()) : OptionalLong.empty(),
                holding.map(held -> String.join(",", held.digests().values())),
                holding.map(held -> held.content().entry().mode()).orElse(PolicyMode.PROTECT),
                phase,
                now,
                mishap.map(Mishap::message));
    }

    private static PolicyState since(PolicyState state, Map<Address, PolicyState> known) {
        return Optional.ofNullable(known.get(new Address(state.id(), state.generation())))
                .filter(old -> old.phase() == state.phase())
                .map(old -> new PolicyState(
                        state.id(),
                        state.generation(),
                        state.served(),
                        state.digest(),
                        state.mode(),
                        state.phase(),
                        old.since(),
                        state.lastError()))
                .orElse(state);
    }
}
