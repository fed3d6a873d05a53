package io.portcullis.artifacts.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.artifacts.testing.TestCa;
import io.portcullis.artifacts.verify.SignatureConstraint.GenericIssuer;
import io.portcullis.artifacts.verify.SignatureConstraint.GithubAction;
import io.portcullis.artifacts.verify.SignatureConstraint.PubKey;
import io.portcullis.artifacts.verify.SignatureConstraint.Subject;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerificationConfigFileTest {

    private static final String KEY =
            TestCa.pem("PUBLIC KEY", TestCa.newKeys().getPublic().getEncoded());

    @Test
    void readsAllOfAndAnyOf() {
        var config = VerificationConfigFile.parse("""
                apiVersion: v1
                allOf:
                  - {kind: githubAction, owner: kubewarden, annotations: {env: prod}}
                  - kind: pubKey
                    owner: alice
                    key: |
                %s
                anyOf:
                  minimumMatches: 2
                  signatures:
                    - {kind: genericIssuer, issuer: https://i, subject: {equal: a@b.c}}
                    - {kind: genericIssuer, issuer: https://i, subject: {urlPrefix: https://github.com/kubewarden}}
                """.formatted(KEY.indent(6)));

        assertThat(config.allOf().getFirst())
                .isEqualTo(new GithubAction("kubewarden", Optional.empty(), Map.of("env", "prod")));
        assertThat(config.allOf().getLast()).isInstanceOf(PubKey.class);
        var any = config.anyOf().orElseThrow();
        assertThat(any.minimumMatches()).isEqualTo(2);
        assertThat(any.signatures())
                .containsExactly(
                        new GenericIssuer("https://i", new Subject.Equal("a@b.c"), Map.of()),
                        new GenericIssuer(
                                "https://i", new Subject.UrlPrefix("https://github.com/kubewarden/"), Map.of()));
    }

    @Test
    void urlPrefixMatchesWholePathSegments() {
        var subject = new Subject.UrlPrefix("https://github.com/kubewarden");

        assertThat(subject.accepts("https://github.com/kubewarden/x")).isTrue();
        assertThat(subject.accepts("https://github.com/kubewarden-evil/x")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "apiVersion: v1 | config is missing signatures in both allOf and anyOff list",
                "apiVersion: v2 | Not a supported configuration version",
                "allOf: [{kind: genericIssuer, issuer: x}] | Not a valid configuration file: missing field `subject`",
                "allOf: [{kind: githubAction, owner: a, ownr: b}] | unknown field `ownr`",
                "allOf: [{kind: magic}] | unknown variant `magic`",
                "allOf: [{kind: pubKey, key: nonsense}] | not a public key",
                "alOf: [] | unknown field `alOf`",
                "anyOf: {signatures: [], minimumMatches: 256} | minimumMatches",
                "allOf: [{kind: genericIssuer, issuer: x, subject: {equal: a, urlPrefix: b}}] | exactly one of",
                "allOf: [{kind: genericIssuer, issuer: x, subject: {urlPrefix: nonsense}}] | urlPrefix is not a URL",
                "'[]' | config is not a map",
            })
    void reportsInvalidFiles(String yaml, String why) {
        assertThatThrownBy(() -> VerificationConfigFile.parse(yaml)).hasMessageContaining(why);
    }
}
