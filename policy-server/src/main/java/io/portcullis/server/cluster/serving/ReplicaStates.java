package io.portcullis.server.cluster.serving;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.serving.ServingPlan.Mishap;
import io.portcullis.server.standalone.StandalonePolicyState;
import io.portcullis.server.standalone.StandalonePolicyState.Phase;
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

    static List<StandalonePolicyState> of(
            List<ObservedRevision> wanted,
            LoadedRevisions holdings,
            Map<String, Mishap> mishaps,
            Instant now,
            List<StandalonePolicyState> before) {
        Map<Address, StandalonePolicyState> known = before.stream()
                .collect(Collectors.toMap(state -> new Address(state.id(), state.generation()), state -> state));
        return wanted.stream()
                .map(revision -> since(state(revision, holdings, mishaps, now), known))
                .sorted(Comparator.comparing(StandalonePolicyState::id)
                        .thenComparingLong(StandalonePolicyState::generation))
                .toList();
    }

    private static StandalonePolicyState state(
            ObservedRevision revision, LoadedRevisions holdings, Map<String, Mishap> mishaps, Instant now) {
        var holding = holdings.of(revision.name());
        var mishap = Optional.ofNullable(mishaps.get(revision.name()));
        var phase = holding.isPresent() ? Phase.ACTIVE : mishap.isPresent() ? Phase.FAILED : Phase.LOADING;
        return new StandalonePolicyState(
                revision.policyId(),
                revision.generation(),
                holding.isPresent() ? OptionalLong.of(revision.generation()) : OptionalLong.empty(),
                holding.map(held -> String.join(",", held.digests().values())),
                holding.map(held -> held.content().entry().mode()).orElse(PolicyMode.PROTECT),
                phase,
                now,
                mishap.map(Mishap::message));
    }

    private static StandalonePolicyState since(StandalonePolicyState state, Map<Address, StandalonePolicyState> known) {
        return Optional.ofNullable(known.get(new Address(state.id(), state.generation())))
                .filter(old -> old.phase() == state.phase())
                .map(old -> new StandalonePolicyState(
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
