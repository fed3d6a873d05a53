package io.portcullis.api.lifecycle;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.api.status.RolloutProgress;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A PolicyRevision as decisions see it.
 *
 * @param switches whether replicas serve it, and whether a webhook relies on it
 * @param wasActivated a webhook has pointed at it at some time
 */
public record Revision(
        String name,
        long generation,
        Switches switches,
        boolean wasActivated,
        PolicyMode mode,
        RolloutProgress progress) {

    /**
     * What the controller has set on it.
     *
     * @param disableAfter no longer referred to; stop serving it then
     * @param deleteAfter its policy is gone; delete it then
     */
    public record Switches(
            boolean enabled, boolean active, Optional<Instant> disableAfter, Optional<Instant> deleteAfter) {}

    public static Revision of(PolicyRevision revision) {
        var spec = revision.getSpec();
        var status = Objects.requireNonNullElse(revision.getStatus(), PolicyRevisionStatus.EMPTY);
        var annotations = Objects.requireNonNullElse(revision.getMetadata().getAnnotations(), Map.<String, String>of());
        return new Revision(
                revision.getMetadata().getName(),
                spec.policyGeneration(),
                new Switches(
                        spec.enabled(),
                        spec.active(),
                        stamp(annotations.get(RevisionNames.DISABLE_AFTER)),
                        stamp(annotations.get(RevisionNames.DELETE_AFTER))),
                status.activatedAt() != null,
                mode(revision),
                RolloutProgress.of(spec.policyGeneration(), status.conditions()));
    }

    /** A stamp that somebody made unreadable counts as none, and is set anew. */
    private static Optional<Instant> stamp(@Nullable String text) {
        try {
            return Optional.ofNullable(text).map(Instant::parse);
        } catch (DateTimeParseException _) {
            return Optional.empty();
        }
    }

    /** The one field, read by itself: this is asked many times, and the others may be malformed. */
    private static PolicyMode mode(PolicyRevision revision) {
        var mode = revision.getSpec().policySpec().path("mode").asText();
        return mode.equals(PolicyMode.MONITOR.wireName()) ? PolicyMode.MONITOR : PolicyMode.PROTECT;
    }

    public boolean isEnabled() {
        return switches.enabled();
    }

    /** On its way out, but still served for stragglers. */
    public boolean isDraining() {
        return switches.enabled() && switches.disableAfter().isPresent();
    }

    /** What a webhook should be pointing at. */
    public boolean isRelied() {
        return switches.active() && switches.disableAfter().isEmpty();
    }
}
