package io.portcullis.server.cluster.initialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.verify.PolicyVerification;
import io.portcullis.server.cluster.StoredRevisions;
import io.portcullis.server.cluster.initialization.SignatureCheck.Verdict;
import io.portcullis.server.cluster.modules.LoopbackModule;
import io.portcullis.server.cluster.modules.UntrustedModules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.settings.ClusterSettings.UnverifiedPolicies;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SignatureCheckTest {

    private static final String FROM_A_REGISTRY = "registry://registry.example/policy:v1";

    private final StoredRevisions stored = new StoredRevisions();
    private final LoopbackModule module = new LoopbackModule(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0});
    private final AtomicInteger verifications = new AtomicInteger();

    @TempDir
    Path directory;

    @AfterEach
    void end() {
        module.close();
    }

    /** Contacts no registry. Every verification fails with this reason. */
    private Optional<PolicyVerification> failingWith(Reason reason) {
        return Optional.of(new PolicyVerification() {
            @Override
            public String verify(ImageReference image) {
                verifications.incrementAndGet();
                throw new ArtifactException(reason, "no signature satisfies https://user:secret@keys.example");
            }

            @Override
            public String wasmDigest(ImageReference pinned) {
                throw new AssertionError("not verified");
            }
        });
    }

    private SignatureCheck check(UnverifiedPolicies unverified, Optional<PolicyVerification> verification) {
        return new SignatureCheck(
                UntrustedModules.in(
                        directory,
                        module.transport(),
                        () -> {
                            throw new ArtifactException(Reason.LOCAL_IO, "no key");
                        },
                        verification),
                unverified);
    }

    private ObservedRevision revision(long generation, String url) {
        var artifact = new Artifact(null, url, "sha256:" + "a".repeat(64), 8);
        return stored.write(
                stored.create(generation, url),
                new PolicyRevisionStatus(List.of(), List.of(artifact), null, null, null, null, null));
    }

    @Test
    void acceptsEverythingWithoutAVerificationConfig() {
        assertThat(check(UnverifiedPolicies.FAIL, Optional.empty()).check(revision(1, FROM_A_REGISTRY)))
                .isEqualTo(new Verdict.Accepted());
    }

    @Test
    void toleratesOrRefusesRejectedSignaturesAsConfigured() {
        var verification = failingWith(Reason.SIGNATURE);
        assertThat(check(UnverifiedPolicies.KEEP, verification).check(revision(1, FROM_A_REGISTRY)))
                .isInstanceOfSatisfying(
                        Verdict.Tolerated.class,
                        verdict -> assertThat(verdict.cause())
                                .contains("no signature satisfies")
                                .doesNotContain("secret"));
        assertThat(check(UnverifiedPolicies.FAIL, verification).check(revision(1, FROM_A_REGISTRY)))
                .isInstanceOf(Verdict.Refused.class);
    }

    @Test
    void rejectsModulesFromWebServersBecauseTheyHaveNoSignature() {
        assertThat(check(UnverifiedPolicies.KEEP, failingWith(Reason.SIGNATURE)).check(revision(1, module.url())))
                .isInstanceOfSatisfying(
                        Verdict.Tolerated.class,
                        verdict -> assertThat(verdict.cause()).contains("only policies from registries are signed"));
    }

    @Test
    void throwsWhenTheRegistryIsUnavailable() {
        var check = check(UnverifiedPolicies.FAIL, failingWith(Reason.UNAVAILABLE));
        assertThatThrownBy(() -> check.check(revision(1, FROM_A_REGISTRY)))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
    }

    @Test
    void verifiesASharedModuleOncePerTerm() {
        var check = check(UnverifiedPolicies.KEEP, failingWith(Reason.SIGNATURE));
        check.check(revision(1, FROM_A_REGISTRY));
        check.check(revision(2, FROM_A_REGISTRY));
        assertThat(verifications).hasValue(1);

        check.clear();
        check.check(revision(1, FROM_A_REGISTRY));
        assertThat(verifications).hasValue(2);
    }
}
