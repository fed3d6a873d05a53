package io.portcullis.process.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpAnswerTest {

    private static final int LIMIT = 1 << 20;

    /** Replaces each slash by a line end. */
    private static ByteArrayInputStream stream(String text) {
        return new ByteArrayInputStream(text.replace("HTTP/1", "HTTP_1")
                .replace("/", "\r\n")
                .replace("HTTP_1", "HTTP/1")
                .getBytes(StandardCharsets.US_ASCII));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "HTTP/1.1 200 OK/Content-Length: 2//{}                                        | 200 | {}     | false",
                "HTTP/1.1 200 OK/content-length:2/Connection: Close//{}                       | 200 | {}     | true",
                "HTTP/1.1 404/Content-Length: 0//                                             | 404 | ''     | false",
                "HTTP/1.0 200 OK/Content-Length: 2//{}                                        | 200 | {}     | true",
                "HTTP/1.1 503 Busy//all to the end                                            | 503 | all to the end | true",
                "HTTP/1.1 204 Nothing//                                                       | 204 | ''     | false",
                "HTTP/1.1 200 OK/Transfer-Encoding: chunked//2;x=y/ab/1/c/0//                 | 200 | abc    | false",
                "HTTP/1.1 200 OK/Transfer-Encoding: gzip, chunked/Content-Length: 9//0/A: b// | 200 | ''     | false",
                "HTTP/1.1 100 Continue//HTTP/1.1 200 OK/Content-Length: 1//x                  | 200 | x      | false",
            })
    void readsAnswers(String text, int status, String body, boolean isLast) throws IOException {
        var answer = HttpAnswer.read(stream(text), LIMIT);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(new String(answer.body(), StandardCharsets.US_ASCII)).isEqualTo(body);
        assertThat(answer.isLast()).isEqualTo(isLast);
    }

    @Test
    void findsHeadersInAnyCase() throws IOException {
        var answer = HttpAnswer.read(stream("HTTP/1.1 429 Later/RETRY-after: 7/A: b/a: C/Content-Length: 0//"), LIMIT);

        assertThat(answer.headers()).containsEntry("retry-after", List.of("7")).containsEntry("a", List.of("b", "C"));
    }

    @Test
    void leavesFollowingBytesForTheNextResponse() throws IOException {
        var two = stream("HTTP/1.1 200 OK/Content-Length: 1//aHTTP/1.1 200 OK/Transfer-Encoding: chunked//1/b/0//"
                + "HTTP/1.1 200 OK/Content-Length: 1//c");

        for (var expected : "abc".toCharArray()) {
            assertThat(HttpAnswer.read(two, LIMIT).body()).containsExactly(expected);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                                          | the connection ended without an answer",
                "HTTP/1.1 200 OK/Content-                                    | the connection ended without an answer",
                "HTTP/1.1 200 OK/Content-Length: 3//{}                       | the connection ended within the answer",
                "HTTP/1.1 200 OK/Content-Length: 1048577//x                  | the answer is larger than 1 MiB",
                "HTTP/1.1 200 OK/Content-Length: 18446744073709551615//x     | the answer does not say how long it is",
                "HTTP/1.1 200 OK/Content-Length: -1//x                       | the answer does not say how long it is",
                "HTTP/1.1 200 OK/Content-Length: many//x                     | the answer does not say how long it is",
                "HTTP/1.1 200 OK/Transfer-Encoding: chunked//z/x             | the answer does not say how long it is",
                "HTTP/1.1 200 OK/Transfer-Encoding: chunked//ffffff/x        | the answer is larger than 1 MiB",
                "HTTP/1.1 200 OK/Transfer-Encoding: chunked//1/xyz/0//       | the head of the answer is too long",
                "HTTP/1.1 200 OK/Transfer-Encoding: chunked//2/x             | the connection ended within the answer",
                "HTTP/2 200//                                                | the answer is not HTTP/1.1",
                "<html>/                                                     | the answer is not HTTP/1.1",
            })
    void refusesWhatIsNone(String text, String reason) {
        assertThatThrownBy(() -> HttpAnswer.read(stream(text), LIMIT))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(reason);
    }

    @Test
    void limitsTheBytesThatAreRead() {
        assertThatThrownBy(() -> HttpAnswer.read(stream("HTTP/1.1 200 OK/A: " + "b".repeat(1 << 17)), LIMIT))
                .hasMessage("the head of the answer is too long");
        assertThatThrownBy(() -> HttpAnswer.read(stream("HTTP/1.1 200 OK/" + "A: b/".repeat(1 << 16)), LIMIT))
                .hasMessage("the head of the answer is too long");
        assertThatThrownBy(() -> HttpAnswer.read(stream("HTTP/1.1 200 OK//" + "b".repeat(LIMIT + 1)), LIMIT))
                .hasMessage("the answer is larger than 1 MiB");
        assertThatThrownBy(() -> HttpAnswer.read(
                        stream("HTTP/1.1 200 OK/Transfer-Encoding: chunked//" + "1/b/".repeat(LIMIT / 64 + 1)), LIMIT))
                .as("bytes that come one by one take the room of more")
                .hasMessage("the answer is larger than 1 MiB");
    }
}
