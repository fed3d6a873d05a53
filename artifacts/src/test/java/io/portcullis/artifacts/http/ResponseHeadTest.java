package io.portcullis.artifacts.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseHeadTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "HTTP/1.1 200 OK~Content-Length: 5~~hello and more | hello",
                "HTTP/1.1 200~Content-Length: 0~~more | ''",
                "HTTP/1.0 200 OK~~to the end | to the end",
                "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~5~hello~1;x=y~!~0~~more | hello!",
                "HTTP/1.1 200 OK~Transfer-Encoding: Chunked~~A~0123456789~0~Trailer: x~~ | 0123456789",
                "HTTP/1.1 204 No Content~~more | ''",
                "HTTP/1.1 100 Continue~~HTTP/1.1 200 OK~content-length:2~~ok | ok",
                "HTTP/1.1 200 OK~Content-Length: 2~Content-Length: 2~~ok | ok",
            })
    void readsBodies(String response, String body) throws IOException {
        assertThat(new String(body(response, "GET").readAllBytes(), ISO_8859_1)).isEqualTo(body);
    }

    @Test
    void readsNoBodyAfterHead() throws IOException {
        assertThat(body("HTTP/1.1 200 OK~Content-Length: 500~~", "HEAD").readAllBytes())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1",
                "HTTP/1.1 999 x~~",
                "HTTP/2 200~~",
                "<html>",
                "HTTP/1.1 200 OK~",
                "HTTP/1.1 200 OK~no colon~~",
                "HTTP/1.1 200 OK~bad name: x~~",
                "HTTP/1.1 101 Switching~~HTTP/1.1 200 OK~~",
                "HTTP/1.1 200 OK~Content-Length: 10~~short",
                "HTTP/1.1 200 OK~Content-Length: -1~~x",
                "HTTP/1.1 200 OK~Content-Length: +1~~x",
                "HTTP/1.1 200 OK~Content-Length: 99999999999999999999~~x",
                "HTTP/1.1 200 OK~Content-Length: 1~Content-Length: 2~~xx",
                "HTTP/1.1 200 OK~Content-Length: 1~Transfer-Encoding: chunked~~1~x~0~~",
                "HTTP/1.1 200 OK~Transfer-Encoding: gzip~~x",
                "HTTP/1.1 200 OK~Transfer-Encoding: gzip, chunked~~0~~",
                "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~g~",
                "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~-1~",
                "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~1~xx~0~~",
                "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~5~x",
                "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~1~x~",
                "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~ffffffffffffffffff~x",
            })
    void refusesMalformedResponses(String response) {
        assertThatThrownBy(() -> body(response, "GET").readAllBytes()).isInstanceOf(IOException.class);
    }

    @Test
    void boundsTheHead() {
        assertThatThrownBy(() -> body("HTTP/1.1 200 OK~X: " + "x".repeat(70_000) + "~~", "GET"))
                .hasMessageContaining("longer than 65536 bytes");
        assertThatThrownBy(() -> body("HTTP/1.1 200 OK~" + "X: y~".repeat(20_000) + "~", "GET"))
                .hasMessageContaining("longer than 65536 bytes");
        assertThatThrownBy(() -> body("HTTP/1.1 100 Continue~~".repeat(100), "GET"))
                .hasMessageContaining("interim");
    }

    @Test
    void boundsChunkLines() {
        var response = "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~0~" + "X: y~".repeat(20_000) + "~";

        assertThatThrownBy(() -> body(response, "GET").readAllBytes()).isInstanceOf(IOException.class);
    }

    private static InputStream body(String response, String method) throws IOException {
        var in = new ByteArrayInputStream(response.replace("~", "\r\n").getBytes(ISO_8859_1));
        return ResponseHead.read(in).body(in, method);
    }
}
