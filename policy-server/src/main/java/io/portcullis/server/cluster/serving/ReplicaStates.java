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

/** What {@code GET /policies} shows of a replica's revisions. */
final class ReplicaStates {

    private ReplicaStates() {}

    static List<PolicyState> of(
            List<ObservedRevision> wanted,
            Holdings holdings,
            Map<String, Mishap> mishaps,
            Instant now,
            List<PolicyState> before) {
        return wanted.stream()
                .map(revision -> since(state(revision, holdings, mishaps, now), before))
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

    private static PolicyState since(PolicyState state, List<PolicyState> before) {
        return before.stream()
                .filter(old -> old.id().equals(state.id())
                        && old.generation() == state.generation()
                        && old.phase() == state.phase())
                .findFirst()
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
