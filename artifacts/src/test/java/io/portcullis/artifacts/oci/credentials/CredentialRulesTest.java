package io.portcullis.artifacts.oci.credentials;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CredentialRulesTest {

    private static boolean isInsecure(String host) {
        return host.startsWith("insecure");
    }

    @ParameterizedTest
    @CsvSource({
        "ghcr.io, https://ghcr.io/v2/x, true",
        "ghcr.io, https://GHCR.io/v2/x, true",
        "ghcr.io, https://ghcr.io:443/v2/x, true",
        "ghcr.io:443, https://ghcr.io/v2/x, true",
        "ghcr.io, https://ghcr.io:5000/v2/x, false",
        "ghcr.io, http://ghcr.io/v2/x, false",
        "ghcr.io, https://pkg-containers.githubusercontent.com/x, false",
        "ghcr.io, https://ghcr.io.evil.example/v2/x, false",
        "ghcr.io, https://evil.example/ghcr.io, false",
        "ghcr.io, https://evil.example@ghcr.io/v2/, false",
        "ghcr.io, https://ghcr.io@evil.example/v2/, false",
        "index.docker.io, https://index.docker.io/v2/, true",
        "index.docker.io, https://auth.docker.io/token, false",
        "127.0.0.1:5000, https://127.0.0.1:5000/v2/x, true",
        "127.0.0.1:5000, https://127.0.0.1:5001/v2/x, false",
        "insecure:5000, http://insecure:5000/v2/x, true",
        "insecure:5000, http://insecure:80/v2/x, false",
        "secure:5000, http://secure:5000/v2/x, false",
        "x, mailto:x, false",
    })
    void sendsCredentialsToTheRegistryOnly(String apiHost, URI uri, boolean belongs) {
        assertThat(CredentialRules.belongsTo(apiHost, uri, CredentialRulesTest::isInsecure))
                .isEqualTo(belongs);
    }

    @ParameterizedTest
    @CsvSource({
        "https://auth.docker.io/token, ''",
        "https://ghcr.io/token, ''",
        "https://quay.io/v2/auth, ''",
        "https://gcr.io/v2/token, ''",
        "https://gitlab.example/jwt/auth, ''",
        "http://insecure:5001/token, ''",
        "http://auth.docker.io/token, plain HTTP",
        "http://127.0.0.1/token, plain HTTP",
        "ftp://auth.docker.io/token, no usable token server",
        "file:///etc/passwd, no usable token server",
        "https:///token, no usable token server",
        "token, no usable token server",
        "https://user:pass@auth.docker.io/token, no usable token server",
    })
    void letsTheRegistryNameATokenServer(URI realm, String why) {
        var refusal = CredentialRules.realmRefusal(realm, CredentialRulesTest::isInsecure);

        assertThat(refusal.isEmpty()).isEqualTo(why.isEmpty());
        assertThat(refusal.orElse("")).contains(why);
    }
}
