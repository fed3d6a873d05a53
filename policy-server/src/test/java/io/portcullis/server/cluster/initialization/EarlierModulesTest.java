package io.portcullis.server.cluster.initialization;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionSpec;
import io.portcullis.api.revision.PolicyRevisionSpec.PolicyReference;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EarlierModulesTest {

    private static final String TAGGED = "registry://registry.example/policies/one:v1";
    private static final String A = "sha256:" + "a".repeat(64);
    private static final String B = "sha256:" + "b".repeat(64);

    private static ObservedRevision revision(
            String uid, long generation, Reason initialized, String module, String digest) {
        var object = new PolicyRevision();
        object.setMetadata(
                new ObjectMetaBuilder().withName(uid + "-" + generation).build());
        object.setSpec(new PolicyRevisionSpec(
                new PolicyReference("policies.kubewarden.io/v1", "ClusterAdmissionPolicy", null, "p", uid),
                generation,
                "kw.cap.p",
                true,
                false,
                JsonNodeFactory.instance.objectNode(),
                "",
                List.of(),
                null));
        object.setStatus(new PolicyRevisionStatus(
                List.of(Condition.ofGeneration(initialized.type(), generation, initialized.status(), initialized, "")),
                List.of(new Artifact(null, module, digest, 1)),
                null,
                null,
                null,
                null,
                null));
        return new ObservedRevision(object);
    }

    private static ObservedRevision done(String uid, long generation, String module, String digest) {
        return revision(uid, generation, Reason.POLICY_INITIALIZED, module, digest);
    }

    @Test
    void usesTheNewestEarlierGenerationThatIsInitialised() {
        var next = revision("u", 4, Reason.POLICY_SCHEDULED, TAGGED, "");
        var all = List.of(
                done("u", 1, TAGGED, A),
                done("u", 2, TAGGED, B),
                revision("u", 3, Reason.PULL_ERROR, TAGGED, A),
                next,
                done("u", 5, TAGGED, A),
                done("another", 3, TAGGED, A));

        assertThat(EarlierModules.of(next, all).digest(TAGGED)).contains(B);
    }

    @Test
    void resolvesAReferenceAgainThatWasRemovedAndAddedBack() {
        var next = revision("u", 3, Reason.POLICY_SCHEDULED, TAGGED, "");
        var all = List.of(done("u", 1, TAGGED, A), done("u", 2, TAGGED.replace("v1", "v2"), B));

        assertThat(EarlierModules.of(next, all).digest(TAGGED)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "registry://registry.example/policies/one:v1, true",
        "registry.example/policies/one:v1, true",
        "registry://registry.example/policies/one@sha256:0000000000000000000000000000000000000000000000000000000000000000,"
                + " true",
        "registry://registry.example/policies/one:latest, false",
        "registry://registry.example/policies/one, false",
        "https://web.example/one.wasm, false",
        "file:///policies/one.wasm, false",
    })
    void reusesOnlyDigestsOfFixedReferences(String module, boolean reused) {
        var next = revision("u", 2, Reason.POLICY_SCHEDULED, module, "");

        var digest = EarlierModules.of(next, List.of(done("u", 1, module, A))).digest(module);

        assertThat(digest.isPresent()).isEqualTo(reused);
    }
}
