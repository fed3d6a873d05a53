package io.portcullis.core.lifecycle;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.core.status.RolloutProgress;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a PolicyRevision that lifecycle decisions use.
 *
 * @param switches whether replicas serve the revision and whether a webhook may point at it
 * @param wasActivated whether the revision has ever been a webhook target
 */
public record Revision(
        String name,
        long generation,
        Switches switches,
        boolean wasActivated,
        PolicyMode mode,
        RolloutProgress progress) {

    /**
     * The fields that the controller sets on a revision.
     *
     * @param disableAfter when to stop serving the revision, which is no longer a webhook target
     * @param deleteAfter when to delete the revision, whose policy is deleted
     */
    public record Switches(
            boolean enabled, boolean active, Optional<Instant> disableAfter, Optional<Instant> deleteAfter) {}

    public static Revision of(PolicyRevision revision) {
        var spec = revision.getSpec();
        var status = revision.statusOrEmpty();
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

    /** Reads a timestamp annotation. A malformed value counts as absent, so that the controller sets it again. */
    private static Optional<Instant> stamp(@Nullable String text) {
        try {
            return Optional.ofNullable(text).map(Instant::parse);
        } catch (DateTimeParseException _) {
            return Optional.empty();
        }
    }

    /** Reads only this field, because the method is called often and other fields may be malformed. */
    private static PolicyMode mode(PolicyRevision revision) {
        return PolicyMode.of(revision.getSpec().policySpec().path("mode").asText());
    }

    public boolean isEnabled() {
        return switches.enabled();
    }

    /** Returns whether the revision is still served only for late requests. */
    public boolean isDraining() {
        return switches.enabled() && switches.disableAfter().isPresent();
    }

    /** Returns whether the revision is the intended target of the policy's webhook. */
    public boolean isWebhookTarget() {
        return switches.active() && switches.disableAfter().isEmpty();
    }
}
