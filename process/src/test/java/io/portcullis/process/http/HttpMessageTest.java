package io.portcullis.process.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpMessageTest {

    private static HttpMessage message(String method, String uri, Map<String, List<String>> headers, String body) {
        return new HttpMessage(method, URI.create(uri), headers, body.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(HttpMessage message) {
        return new String(message.bytes(), StandardCharsets.UTF_8).replace("\r\n", "/");
    }

    @Test
    void encodesRequestsForServers() {
        assertThat(text(message("GET", "https://a:6443/api?x=%20y&z", Map.of("Accept", List.of("b", "c")), "")))
                .isEqualTo("GET /api?x=%20y&z HTTP/1.1/Host: a:6443/Accept: b/Accept: c//");
        assertThat(text(message("POST", "http://[::1]", Map.of(), "ä")))
                .isEqualTo("POST / HTTP/1.1/Host: [::1]/Content-Length: 2//ä");
        assertThat(text(message("DELETE", "http://a/b", Map.of(), "")))
                .as("without a body there is nothing to say about it")
                .isEqualTo("DELETE /b HTTP/1.1/Host: a//");
        assertThat(text(message("PUT", "http://a/b", Map.of(), ""))).contains("Content-Length: 0");
    }

    @ParameterizedTest
    @CsvSource({
        "https://a/b, a, 443",
        "http://a, a, 80",
        "https://10.0.0.1:6443, 10.0.0.1, 6443",
        "https://[fd00::1]:6443, fd00::1, 6443"
    })
    void goesWhereItsUriSays(String uri, String host, int port) {
        var address = message("GET", uri, Map.of(), "").address();

        assertThat(address.getPort()).isEqualTo(port);
        assertThat(address.getHostString()).isIn(host, "fd00:0:0:0:0:0:0:1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nX: y", "a\n", "a\rb", "a\0", "ä", "\u007f"})
    void rejectsHeaderInjection(String text) {
        assertThatThrownBy(() -> message("GET", "http://a", Map.of("Authorization", List.of(text)), ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a header of the request is not printable");
        assertThatThrownBy(() -> message("GET", "http://a", Map.of(text, List.of("a")), ""))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void rejectsAUriWithoutAHost() {
        assertThatThrownBy(() -> message("GET", "mailto:a@b", Map.of(), ""))
                .hasMessage("the address of the server names no host");
    }
}
