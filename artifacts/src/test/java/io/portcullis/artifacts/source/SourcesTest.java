package io.portcullis.artifacts.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.artifacts.testing.TestCa;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourcesTest {

    private static final Map<String, String> ENVIRONMENT =
            Map.of("HTTPS_PROXY", "http://environment:3128", "NO_PROXY", "localhost");

    @TempDir
    private Path directory;

    @Test
    void readsHostsAuthoritiesAndProxies() throws IOException {
        var ca = TestCa.create("ca");
        var der = Files.write(directory.resolve("ca.der"), TestCa.encoded(ca.certificate()));
        var sources = load("""
                insecure_sources: ["localhost:5000"]
                source_authorities:
                  "registry.example.com:5500":
                    - {type: Path, path: %s}
                    - {type: Data, data: "%s"}
                proxies: {https_proxy: "http://bob:secret@file:3129", no_proxy: ".corp, 10.0.0.0/8"}
                future_key: 1
                """.formatted(der, ca.pem().replace("\n", "\\n")));

        assertThat(sources.insecure()).containsExactly("localhost:5000");
        assertThat(sources.authorities().get("registry.example.com:5500"))
                .containsExactly(ca.certificate(), ca.certificate());
        assertThat(sources.proxies().proxyFor(URI.create("https://ghcr.io/x")))
                .hasValueSatisfying(proxy -> assertThat(proxy.getHost()).isEqualTo("file"));
        assertThat(sources.toString()).doesNotContain("secret");
    }

    @Test
    void usesProxiesFromTheEnvironmentIfTheFileHasNone() throws IOException {
        var proxy = load("insecure_sources: []").proxies().proxyFor(URI.create("https://ghcr.io/x"));

        assertThat(proxy).hasValue(URI.create("http://environment:3128"));
        assertThat(load("").proxies()).isEqualTo(Proxies.fromEnvironment(ENVIRONMENT));
    }

    @ParameterizedTest
    @CsvSource({
        "https://a.corp/x, false",
        "https://corp/x, false",
        "https://notcorp/x, true",
        "https://10.1.2.3/x, false",
        "https://11.1.2.3/x, true",
        "https://[fd00::1]/x, true",
    })
    void honoursProxyExceptions(URI target, boolean proxied) throws IOException {
        var proxies = load("proxies: {https_proxy: 'p:1', no_proxy: '.corp, 10.0.0.0/8'}")
                .proxies();

        assertThat(proxies.proxyFor(target).isPresent()).isEqualTo(proxied);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "source_authorities: {h: [{type: Data, data: nonsense}]} | Raw certificate is not in PEM nor in DER encoding",
                "source_authorities: {h: [{type: Path, path: /does/not/exist}]} | Cannot read certificate from file",
                "source_authorities: {h: [{type: Url}]} | unknown type of source authority",
                "insecure_sources: localhost | insecure_sources is not a list",
                "'[1, 2]' | not a map",
                "'a: b: c' | error while loading sources from",
            })
    void reportsInvalidFiles(String yaml, String why) {
        assertThatThrownBy(() -> load(yaml))
                .hasMessageStartingWith("error while loading sources from")
                .hasMessageContaining(why);
    }

    private Sources load(String yaml) throws IOException {
        return Sources.load(Files.writeString(directory.resolve("sources.yml"), yaml), ENVIRONMENT);
    }
}
