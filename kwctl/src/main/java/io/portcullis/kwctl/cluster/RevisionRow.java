package io.portcullis.kwctl.cluster;

import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.core.lifecycle.Revision;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A revision in a listing.
 *
 * @param revision the input for rollback decisions
 * @param digests of its modules; for groups, with the member name as prefix
 */
record RevisionRow(Revision revision, List<String> digests, Optional<Instant> created, OptionalLong rollbackOf) {

    /** Converts revisions to rows, newest first. */
    static List<RevisionRow> of(List<PolicyRevision> revisions) {
        return revisions.stream()
                .map(RevisionRow::of)
                .sorted(Comparator.comparingLong(RevisionRow::generation).reversed())
                .toList();
    }

    private static RevisionRow of(PolicyRevision revision) {
        var status = revision.statusOrEmpty();
        var rollbackOf = revision.getSpec().rollbackOf();
        return new RevisionRow(
                Revision.of(revision),
                status.artifacts().stream()
                        .map(artifact -> artifact.member() == null
                                ? artifact.digest()
                                : artifact.member() + "=" + artifact.digest())
                        .toList(),
                instant(revision.getMetadata().getCreationTimestamp()),
                rollbackOf == null ? OptionalLong.empty() : OptionalLong.of(rollbackOf));
    }

    static Optional<Instant> instant(@Nullable String text) {
        try {
            return Optional.ofNullable(text).map(Instant::parse);
        } catch (DateTimeParseException _) {
            return Optional.empty();
        }
    }

    long generation() {
        return revision.generation();
    }
}
