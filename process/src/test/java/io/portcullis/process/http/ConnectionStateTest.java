package io.portcullis.process.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.process.http.ConnectionState.Cut;
import io.portcullis.process.http.ConnectionState.Phase;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionStateTest {

    private static final ListenerLimits LIMITS =
            new ListenerLimits(10, 10, 16 << 10, Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3));
    private static final long NOW = Duration.ofMinutes(1).toNanos();

    private static InetAddress client(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static ConnectionState state(long id, int client, Phase phase, long ageMillis) {
        return new ConnectionState(
                id, client(client), phase, NOW - Duration.ofMillis(ageMillis).toNanos());
    }

    @ParameterizedTest
    @CsvSource({
        "OPENING, 999, ",
        "OPENING, 1000, HEADERS_TOO_SLOW",
        "HEADERS, 999, ",
        "HEADERS, 1000, HEADERS_TOO_SLOW",
        "IDLE, 2999, ",
        "IDLE, 3000, IDLE_TOO_LONG",
        "WRITING, 1999, ",
        "WRITING, 2000, ABORTED",
        "CLOSING, 999, ",
        "CLOSING, 1000, ABORTED",
        "BUSY, 60000, ",
        "BODY, 60000, "
    })
    void cutsConnectionsWhoseClientTakesTooLong(Phase phase, long ageMillis, Cut expected) {
        assertThat(state(1, 1, phase, ageMillis).overdue(LIMITS, NOW)).isEqualTo(Optional.ofNullable(expected));
    }

    private static List<Long> displaced(List<ConnectionState> open, int newcomer) {
        return ConnectionState.displaced(open, client(newcomer), NOW).stream()
                .map(ConnectionState::id)
                .toList();
    }

    @Test
    void displacesTheLongestWaitOfTheAddressWithTheMostConnections() {
        var open = List.of(
                state(1, 1, Phase.IDLE, 50_000),
                state(2, 2, Phase.IDLE, 2_000),
                state(3, 2, Phase.HEADERS, 3_000),
                state(4, 2, Phase.BUSY, 40_000));

        assertThat(displaced(open, 3)).containsExactly(3L);
    }

    @Test
    void refusesTheHeaviestAddressUnlessItsOwnConnectionsWaitLong() {
        var busy = List.of(state(1, 1, Phase.BUSY, 9_000), state(2, 1, Phase.IDLE, 999));

        assertThat(displaced(busy, 1)).isEmpty();
        assertThat(displaced(List.of(state(1, 1, Phase.BUSY, 9_000), state(2, 1, Phase.IDLE, 1_000)), 1))
                .containsExactly(2L);
    }

    @Test
    void admitsANewAddressAtOnceWhenAnotherHoldsMostConnections() {
        var open = new ArrayList<ConnectionState>();
        for (var i = 0; i < 8; i++) {
            open.add(state(i, 1, Phase.OPENING, i));
        }

        assertThat(displaced(open, 2)).containsExactly(7L);
    }

    @Test
    void neverDisplacesBusyConnections() {
        assertThat(displaced(
                        List.of(
                                state(1, 1, Phase.BUSY, 60_000),
                                state(2, 1, Phase.WRITING, 60_000),
                                state(3, 1, Phase.CLOSING, 60_000)),
                        2))
                .isEmpty();
        assertThat(displaced(List.of(), 2)).isEmpty();
    }

    @Test
    void closesAQuarterOfTheHeaviestAddressWhenDescriptorsRunOut() {
        var open = new ArrayList<ConnectionState>();
        for (var i = 0; i < 40; i++) {
            open.add(state(i, 1, i < 35 ? Phase.IDLE : Phase.BUSY, i));
        }
        open.add(state(100, 2, Phase.IDLE, 60_000));

        assertThat(ConnectionState.closedToFreeDescriptors(open, NOW))
                .hasSize(10)
                .allMatch(state -> state.id() >= 25 && state.id() < 35);
    }

    @Test
    void displacesSeveralAtOnceWhenThereAreMany() {
        var open = new ArrayList<ConnectionState>();
        for (var i = 0; i < 640; i++) {
            open.add(state(i, 1, Phase.HEADERS, 2_000 + i));
        }

        assertThat(displaced(open, 1)).hasSize(10).startsWith(639L, 638L);
    }

    @ParameterizedTest
    @CsvSource({
        // wanted, descriptors, heap MiB, tls, allowed
        "2048, 1024, 4096, false, 736",
        "2048, 1048576, 128, false, 1365",
        "2048, 1048576, 128, true, 390",
        "2048, 1048576, 4096, true, 2048",
        "100, 1048576, 4096, false, 100",
        "2048, 1, 4096, false, 1"
    })
    void lowersTheNumberOfConnectionsToWhatTheProcessCanCarry(
            int wanted, long descriptors, long heapMebibytes, boolean isTls, int allowed) {
        assertThat(ConnectionLimit.of(wanted, descriptors, heapMebibytes << 20, isTls))
                .isEqualTo(allowed);
    }
}
