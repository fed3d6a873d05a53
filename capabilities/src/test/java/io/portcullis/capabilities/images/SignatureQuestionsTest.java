package io.portcullis.capabilities.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.artifacts.verify.SignatureConstraint.GenericIssuer;
import io.portcullis.artifacts.verify.SignatureConstraint.GithubAction;
import io.portcullis.artifacts.verify.SignatureConstraint.Subject;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostRequest.Keyless;
import io.portcullis.evaluator.host.HostRequest.KeylessPrefix;
import io.portcullis.evaluator.host.HostRequest.SigstoreCertificateVerify;
import io.portcullis.evaluator.host.HostRequest.SigstoreGithubActionsVerify;
import io.portcullis.evaluator.host.HostRequest.SigstoreKeylessPrefixVerify;
import io.portcullis.evaluator.host.HostRequest.SigstoreKeylessVerify;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SignatureQuestionsTest {

    @Test
    void requiresEveryListedIdentity() {
        var request = new SigstoreKeylessVerify(
                "image", List.of(new Keyless("i1", "s1"), new Keyless("i2", "s2")), Map.of("a", "b"));

        assertThat(SignatureQuestions.constraints(request))
                .containsExactly(
                        new GenericIssuer("i1", new Subject.Equal("s1"), Map.of("a", "b")),
                        new GenericIssuer("i2", new Subject.Equal("s2"), Map.of("a", "b")));
    }

    @Test
    void convertsSubjectPrefixes() {
        var request = new SigstoreKeylessPrefixVerify(
                "image", List.of(new KeylessPrefix("i", "https://github.com/kubewarden")), null);

        assertThat(SignatureQuestions.constraints(request))
                .containsExactly(
                        new GenericIssuer("i", new Subject.UrlPrefix("https://github.com/kubewarden"), Map.of()));
    }

    @Test
    void requiresAnOwnerAndOptionallyARepository() {
        assertThat(SignatureQuestions.constraints(new SigstoreGithubActionsVerify("image", "owner", null, null)))
                .containsExactly(new GithubAction("owner", Optional.empty(), Map.of()));
    }

    @Test
    void rejectsAMalformedCertificate() {
        var request = new SigstoreCertificateVerify("image", List.of(1, 2, 3), null, false, null);

        assertThatThrownBy(() -> SignatureQuestions.constraints(request))
                .isInstanceOf(HostCallException.class)
                .hasMessageStartingWith("the certificate cannot be read");
    }
}
