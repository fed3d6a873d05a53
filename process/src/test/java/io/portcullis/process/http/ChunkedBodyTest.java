package io.portcullis.process.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.helidon.common.buffers.DataReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkedBodyTest {

    private static ChunkedBody body(int packet, String wire) {
        var packets = new ArrayDeque<byte[]>();
        for (var i = 0; i < wire.length(); i += packet) {
            packets.add(wire.substring(i, Math.min(wire.length(), i + packet)).getBytes(US_ASCII));
        }
        return new ChunkedBody(DataReader.create(packets::poll));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    void joinsChunksInAnyArrivalOrderOfBytes(int packet) throws IOException {
        var wire = "5\r\nhello\r\n1\r\n \r\n00a\r\n0123456789\r\n0\r\n\r\nnext";
        var body = body(packet, wire);

        assertThat(new String(body.readAllBytes(), US_ASCII)).isEqualTo("hello 0123456789");
        assertThat(body.read()).isEqualTo(-1);
    }

    @Test
    void readsAnEmptyChunkedBody() throws IOException {
        assertThat(body(100, "0\r\n\r\n").readAllBytes()).isEmpty();
    }

    @Test
    void returnsBytesBeforeTheChunkIsComplete() {
        var body = body(100, "7fffffff\r\nabc");
        var bytes = new byte[100];

        assertThat(body.read(bytes, 0, 100)).isEqualTo(3);
    }

    @Test
    void refusesEverythingElse() {
        for (var wire : List.of(
                "\r\n",
                "x\r\n",
                "-1\r\n",
                "+5\r\nhello\r\n0\r\n\r\n",
                " 5\r\nhello\r\n0\r\n\r\n",
                "5 \r\nhello\r\n0\r\n\r\n",
                "0x5\r\nhello\r\n0\r\n\r\n",
                "5\nhello\n0\n\n",
                "5\rhello",
                "5;a=b\r\nhello\r\n0\r\n\r\n",
                "5\r\nhelloXX0\r\n\r\n",
                "5\r\nhello!\r\n0\r\n\r\n",
                "5\r\nhello\r\r0\r\n\r\n",
                "0\r\nX-Trailer: a\r\n\r\n",
                "80000000000\r\n",
                "00000000000000000\r\n",
                "ffffffffffffffffffffffff\r\n",
                "\u0665\r\n")) {
            assertThatThrownBy(() -> body(100, wire).readAllBytes())
                    .as(wire)
                    .isInstanceOfSatisfying(
                            HttpProblem.class,
                            problem -> assertThat(problem.status()).isEqualTo(400))
                    .hasMessageStartingWith("Bad chunked request body: ");
        }
    }
}
