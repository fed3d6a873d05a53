package io.portcullis.api.lifecycle;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.api.status.Progress;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A PolicyRevision as decisions see it.
 *
 * @param switches whether replicas serve it, and whether a webhook relies on it
 * @param wasActivated a webhook has pointed at it at some time
 */
public record Revision(
        String name, long generation, Switches switches, boolean wasActivated, PolicyMode mode, Progress progress) {

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
                        Optional.ofNullable(annotations.get(RevisionNames.DISABLE_AFTER))
                                .map(Instant::parse),
                        Optional.ofNullable(annotations.get(RevisionNames.DELETE_AFTER))
                                .map(Instant::parse)),
                status.activatedAt() != null,
                PolicyKind.parse(spec.objectReference().kind())
                        .map(kind -> PolicySpec.read(kind, spec.policySpec())
                                .placement()
                                .mode())
                        .orElse(PolicyMode.PROTECT),
                Progress.of(spec.policyGeneration(), status.conditions()));
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
