package io.portcullis.testkit.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.tools.NeedsTools;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NeedsTools("registry")
class LocalRegistryIT {

    private static final String LOGIN = "Basic "
            + Base64.getEncoder()
                    .encodeToString(
                            (LocalRegistry.USER + ":" + LocalRegistry.PASSWORD).getBytes(StandardCharsets.UTF_8));

    @TempDir
    Path directory;

    @Test
    void plainRegistryNeedsNoAuthentication() {
        try (var registry = LocalRegistry.plain(directory);
                var http = HttpClient.newHttpClient()) {
            var url = URI.create("http://" + registry.host() + "/v2/");

            registry.program().awaitAnswer(http, url, 200, Duration.ofSeconds(10));
        }
    }

    @Test
    void tlsRegistryAcceptsClientsThatTrustItsCertificate() throws Exception {
        try (var registry = LocalRegistry.withTls(directory);
                var http = trusting(registry)) {
            assertThat(get(http, "https://" + registry.host() + "/v2/", "").statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void acceptsTheRightPasswordOnly() throws Exception {
        try (var registry = LocalRegistry.withPassword(directory);
                var http = trusting(registry)) {
            var url = "https://" + registry.host() + "/v2/";

            assertThat(get(http, url, "").statusCode()).isEqualTo(401);
            assertThat(get(http, url, LOGIN).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void acceptsATokenOfTheTokenServer() throws Exception {
        try (var registry = LocalRegistry.withTokens(directory);
                var http = trusting(registry)) {
            var url = "https://" + registry.host() + "/v2/policies/pod/tags/list";
            var challenge =
                    get(http, url, "").headers().firstValue("WWW-Authenticate").orElseThrow();
            var tokenUrl = part(challenge, "realm") + "?service=" + part(challenge, "service") + "&scope="
                    + part(challenge, "scope");

            assertThat(get(http, tokenUrl, "Basic bm9ib2R5OndyaXRl").statusCode())
                    .isEqualTo(401);
            var token = get(http, tokenUrl, LOGIN).body().replaceAll(".*\"token\": \"([^\"]+)\".*", "$1");
            // The repository does not exist. A 404 shows that the registry accepted the token.
            assertThat(get(http, url, "Bearer " + token).statusCode()).isEqualTo(404);
        }
    }

    private static HttpClient trusting(LocalRegistry registry) {
        return HttpClient.newBuilder()
                .sslContext(registry.servingCertificate().orElseThrow().sslContext())
                .build();
    }

    private static HttpResponse<String> get(HttpClient http, String url, String authorization) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url));
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private static String part(String challenge, String name) {
        var matcher = Pattern.compile(name + "=\"([^\"]*)\"").matcher(challenge);
        assertThat(matcher.find()).as(challenge).isTrue();
        return matcher.group(1);
    }
}
