package io.portcullis.server.cluster.serving;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.serving.ServingPlan.LoadFailure;
import io.portcullis.server.evaluation.routing.PolicyAddress;
import io.portcullis.server.source.PolicyLoadState;
import io.portcullis.server.source.PolicyLoadState.Phase;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** Computes the states of this replica's revisions for {@code GET /policies}. */
final class ReplicaStates {

    private ReplicaStates() {}

    static List<PolicyLoadState> of(
            List<ObservedRevision> wanted,
            LoadedRevisions loadedRevisions,
            Map<String, LoadFailure> loadFailures,
            Instant now,
            List<PolicyLoadState> before) {
        // No two wanted revisions share an address.
        Map<PolicyAddress, PolicyLoadState> previous = before.stream()
                .collect(Collectors.toMap(state -> PolicyAddress.of(state.id(), state.generation()), state -> state));
        return wanted.stream()
                .map(revision -> since(state(revision, loadedRevisions, loadFailures, now), previous))
                .sorted(Comparator.comparing(PolicyLoadState::id).thenComparingLong(PolicyLoadState::generation))
                .toList();
    }

    private static PolicyLoadState state(
            ObservedRevision revision,
            LoadedRevisions loadedRevisions,
            Map<String, LoadFailure> loadFailures,
            Instant now) {
        var loadedRevision = loadedRevisions.of(revision.name());
        var loadFailure = Optional.ofNullable(loadFailures.get(revision.name()));
        var phase = loadedRevision.isPresent() ? Phase.ACTIVE : loadFailure.isPresent() ? Phase.FAILED : Phase.LOADING;
        return new PolicyLoadState(
                revision.policyId(),
                revision.generation(),
                loadedRevision.isPresent() ? OptionalLong.of(revision.generation()) : OptionalLong.empty(),
                loadedRevision.map(loaded -> String.join(",", loaded.digests().values())),
                loadedRevision
                        .map(loaded -> loaded.loadSpec().policy().entry().mode())
                        .orElse(PolicyMode.PROTECT),
                phase,
                now,
                loadFailure.map(LoadFailure::message));
    }

    private static PolicyLoadState since(PolicyLoadState state, Map<PolicyAddress, PolicyLoadState> previous) {
        return Optional.ofNullable(previous.get(PolicyAddress.of(state.id(), state.generation())))
                .filter(old -> old.phase() == state.phase())
                .map(old -> new PolicyLoadState(
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
