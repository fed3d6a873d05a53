package io.portcullis.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.portcullis.testkit.hostile.HostileModules;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Attacks a policy server that has the limits of a small pod. The process never ends, another tenant's requests are all
 * answered correctly during each attack, and the server is ready afterwards. How fast is a question for
 * {@code ./portcullis bench hostile}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
class HostileServerIT {

    private static final Duration ATTACK = Duration.ofSeconds(3);
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private LimitedServer server;

    @BeforeAll
    void start(@TempDir Path directory) throws IOException {
        server = LimitedServer.start(directory);
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @AfterEach
    void theServerIsAliveAndReady() {
        assertThat(server.isAlive()).as(server.output()).isTrue();
        await("readiness").atMost(LIMIT).ignoreExceptions().until(() -> server.readiness() == 200);
    }

    static List<Attack> attacks() {
        return Attack.all();
    }

    @ParameterizedTest
    @MethodSource("attacks")
    void answersTheOtherTenantCorrectlyDuring(Attack attack) throws IOException, InterruptedException {
        var neighbour = Neighbour.start(server, 10);
        attack.run(server, ATTACK);
        assertThat(neighbour.finish().wrong()).isEmpty();
    }

    @Test
    void rejectsAnAnswerThatSaysYesAndNo() throws IOException, InterruptedException {
        server.publish("two-minds", HostileModules.duplicateKey(), "");
        server.awaitSettled("two-minds", LIMIT);

        var answer = server.judge("two-minds", Reviews.ordinaryPod());

        assertThat(answer.body()).contains("\"allowed\":false");
    }

    @Test
    void judgesObjectsWithVeryLongKeysInsteadOfFailing() throws IOException, InterruptedException {
        server.publish(
                "mutates",
                HostileModules.answering("{\"accepted\":true,\"mutated_object\":{\"a\":1}}"),
                ", allowedToMutate: true");
        server.awaitSettled("mutates", LIMIT);

        var answer = server.judge("mutates", Reviews.withLongKey(60_000));

        assertThat(answer.statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zz\r\n{}\r\n0\r\n\r\n",
                "-1\r\n{}\r\n0\r\n\r\n",
                "ffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
                "2\r\n{}garbage\r\n0\r\n\r\n",
                "\r\n\r\n",
            })
    void answersBrokenChunksWithBadRequest(String chunks) throws IOException {
        try (var socket = Ports.connect(server.ports().api())) {
            socket.getOutputStream()
                    .write(("POST /validate/" + LimitedServer.NEIGHBOUR
                                    + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                                    + chunks)
                            .getBytes(StandardCharsets.US_ASCII));
            var head = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
            assertThat(head).isEqualTo("HTTP/1.1 400");
        }
        assertThat(server.output()).doesNotContain("request failed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/zero", "/dev/random", "/proc/self/mem", "/proc/kcore", "/"})
    void refusesFilesThatAreNoModules(String file) throws IOException, InterruptedException {
        server.publishEntry("device", "{module: \"file://" + file + "\"}");

        assertThat(server.awaitSettled("device", LIMIT).phase()).isEqualTo("failed");
        server.withdraw("device");
    }
}
