package io.portcullis.api.revision;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.revision.PolicyRevisionSpec.PinnedArtifact;
import io.portcullis.testkit.sample.Samples;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DesiredRevisionTest {

    private final DesiredRevision desired = new DesiredRevision(IdentityScheme.DOTTED, "kubewarden");

    @ParameterizedTest
    @EnumSource(PolicyKind.class)
    void freezesAPolicyOfEveryKind(PolicyKind kind) {
        var policy = Samples.sample(kind.type());

        var revision = desired.of(policy);

        assertThat(revision.getMetadata().getNamespace()).isEqualTo("kubewarden");
        assertThat(revision.getMetadata().getName())
                .matches(IdentityScheme.DOTTED.policyId(policy.ref()).replace(".", "\\.")
                        + "-[bcdfghjklmnpqrstvwxz2456789]{10}");
        assertThat(revision.getMetadata().getLabels())
                .containsEntry(
                        "kubewarden.io/policy-server", policy.read().placement().policyServer())
                .containsEntry("kubewarden.io/policy-uid", "uid-1")
                .containsEntry("kubewarden.io/policy-generation", "3")
                .containsEntry("kubewarden.io/policy-kind", kind.wireName())
                .containsEntry("app.kubernetes.io/part-of", "kubewarden");
        assertThat(revision.getMetadata().getOwnerReferences()).isEmpty();
        assertThat(revision.getSpec().objectReference().kind()).isEqualTo(kind.wireName());
        assertThat(revision.getSpec().objectReference().namespace()).isEqualTo(kind.isNamespaced() ? "team-a" : null);
        assertThat(revision.getSpec().policyGeneration()).isEqualTo(3);
        assertThat(revision.getSpec().enabled()).isTrue();
        assertThat(revision.getSpec().active()).isFalse();
        assertThat(revision.getSpec().policySpec()).isEqualTo(policy.getSpec());
        assertThat(revision.getSpec().isIntact()).isTrue();
    }

    @Test
    void buildsTheSameRevisionAgain() {
        var once = Samples.JSON.valueToTree(desired.of(Samples.sample(PolicyKind.ADMISSION_POLICY.type())));
        var again = Samples.JSON.valueToTree(desired.of(Samples.sample(PolicyKind.ADMISSION_POLICY.type())));

        assertThat(once.toString()).isEqualTo(again.toString());
    }

    @Test
    void namesDifferByGenerationAndByUid() {
        var names = new HashSet<String>();
        for (int generation = 1; generation <= 1000; generation++) {
            names.add(RevisionNames.name("kw.cap.x", "uid-1", generation));
            names.add(RevisionNames.name("kw.cap.x", "uid-2", generation));
        }
        assertThat(names).hasSize(2000);
    }

    @Test
    void laterChangesOfThePolicyDoNotChangeTheRevision() {
        var policy = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        var revision = desired.of(policy);

        policy.getSpec().put("module", "changed");

        assertThat(revision.getSpec().policySpec().path("module").asText()).isNotEqualTo("changed");
        assertThat(revision.getSpec().isIntact()).isTrue();
    }

    @Test
    void detectsTamperedContent() {
        var revision = desired.of(Samples.sample(PolicyKind.ADMISSION_POLICY.type()));

        revision.getSpec().policySpec().put("module", "evil");

        assertThat(revision.getSpec().isIntact()).isFalse();
    }

    @Test
    void rollbackPinsTheDigestsOfItsModules() {
        var pinned = List.of(new PinnedArtifact(null, "registry://a", "sha256:1"));

        var revision = desired.of(Samples.sample(PolicyKind.ADMISSION_POLICY.type()), OptionalLong.of(1), pinned);

        assertThat(revision.getSpec().rollbackOf()).isEqualTo(1);
        assertThat(revision.getSpec().pinnedArtifacts()).isEqualTo(pinned);
    }
}
