package io.portcullis.core.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionSpec;
import io.portcullis.testkit.sample.Samples;
import org.junit.jupiter.api.Test;

class PolicyRevisionValidationTest {

    private final PolicyRevisionValidation validation = new PolicyRevisionValidation("kubewarden");

    @Test
    void rejectsWritesOfOtherUsersThanTheController() {
        var forbidden = "spec: Forbidden: PolicyRevisions are managed by the controller; change the policy instead";

        assertThat(validation.create(revision(), true)).isEqualTo(Validation.FINE);
        assertThat(validation.delete(true)).isEqualTo(Validation.FINE);
        assertThat(validation.create(revision(), false).errors())
                .extracting(FieldError::toString)
                .containsExactly(forbidden);
        assertThat(validation.update(revision(), revision(), false).errors())
                .extracting(FieldError::toString)
                .containsExactly(forbidden);
        assertThat(validation.delete(false).errors())
                .extracting(FieldError::toString)
                .containsExactly(forbidden);
    }

    @Test
    void rejectsRevisionsOutsideTheControllersNamespace() {
        var revision = revision();
        revision.getMetadata().setNamespace("elsewhere");

        assertThat(validation.create(revision, true).errors())
                .extracting(FieldError::toString)
                .containsExactly(
                        "metadata.namespace: Invalid value: \"elsewhere\": revisions must be in namespace kubewarden");
    }

    @Test
    void rejectsContentThatDoesNotMatchItsDigest() {
        var revision = revision();
        revision.getSpec().policySpec().put("module", "evil");

        assertThat(validation.create(revision, true).errors())
                .singleElement()
                .satisfies(error -> assertThat(error.path()).isEqualTo("spec.dataHash"));
    }

    @Test
    void rejectsChangesOtherThanTheSwitches() {
        var old = revision();
        var switched = revision();
        switched.setSpec(with(old.getSpec(), false, true, old.getSpec().policyGeneration()));
        var changed = revision();
        changed.setSpec(with(old.getSpec(), true, false, 99));

        assertThat(validation.update(switched, old, true)).isEqualTo(Validation.FINE);
        assertThat(validation.update(changed, old, true).errors())
                .extracting(FieldError::toString)
                .containsExactly("spec: Forbidden: only enabled and active may change");
    }

    private static PolicyRevision revision() {
        return new DesiredRevision(IdentityScheme.DOTTED, "kubewarden")
                .of(Samples.sample(PolicyKind.ADMISSION_POLICY.type()));
    }

    private static PolicyRevisionSpec with(PolicyRevisionSpec spec, boolean enabled, boolean active, long generation) {
        return new PolicyRevisionSpec(
                spec.objectReference(),
                generation,
                spec.policyID(),
                enabled,
                active,
                spec.data(),
                spec.dataHash(),
                spec.pinnedArtifacts(),
                spec.rollbackOf());
    }
}
