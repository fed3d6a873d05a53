package io.portcullis.wasm.wasi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.GuestExitException;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.LinkedModule;
import io.portcullis.wasm.Memory;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.TrapException;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import io.portcullis.wasm.testing.Guests;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each WASI function, called by a guest that does nothing else. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class WasiTest {

    private static final Instant NOON = Instant.parse("2026-11-15T12:00:00.000000001Z");

    private final WasmEngine engine = WasmEngines.best();
    private final LinkedModule module = linked();
    private WasiContext context = WasiContext.minimal();
    private Instance guest = instance(WasiContext.minimal(), Deadline.NONE);

    @Test
    void passesArgumentsAndEnvironmentZeroTerminated() {
        start(WasiContext.builder()
                .arguments("policy.wasm", "validate")
                .environment(Map.of("KEY", "välue"))
                .build());

        assertThat(call("args_sizes_get", 0, 4)).isZero();
        assertThat(memory().readInt(0)).isEqualTo(2);
        assertThat(memory().readInt(4)).isEqualTo(21);
        assertThat(call("args_get", 100, 200)).isZero();
        assertThat(memory().readInt(104)).isEqualTo(212);
        assertThat(text(200, 21)).isEqualTo("policy.wasm\0validate\0");
        assertThat(call("environ_sizes_get", 0, 4)).isZero();
        assertThat(call("environ_get", 100, 200)).isZero();
        assertThat(text(200, memory().readInt(4))).isEqualTo("KEY=välue\0");
    }

    @Test
    void givesAMinimalGuestNoArgumentsEnvironmentOrInput() {
        start(WasiContext.minimal());
        memory().writeInt(0, -1);

        assertThat(call("args_sizes_get", 0, 4)).isZero();
        assertThat(memory().readInt(0)).isZero();
        assertThat(call("old_environ_sizes_get", 0, 4)).isZero();
        assertThat(memory().readInt(0)).isZero();
        assertThat(call("fd_read", 0, buffers(100, 10), 1, 8)).isZero();
        assertThat(memory().readInt(8)).isZero();
    }

    @Test
    void readsInputThatTheHostAppendsWhileTheGuestRuns() {
        start(WasiContext.minimal());
        context.stdin().append(bytes("hello "));
        context.stdin().append(bytes("world"));

        assertThat(call("fd_read", 0, buffers(100, 8, 200, 8), 2, 8)).isZero();
        assertThat(memory().readInt(8)).isEqualTo(11);
        assertThat(text(100, 8)).isEqualTo("hello wo");
        assertThat(text(200, 3)).isEqualTo("rld");
        assertThat(call("fd_read", 0, buffers(100, 8), 1, 8)).isZero();
        assertThat(memory().readInt(8)).isZero();

        context.stdin().append(bytes("answer"));

        assertThat(call("fd_read", 0, buffers(100, 4), 1, 8)).isZero();
        assertThat(text(100, 4)).isEqualTo("answ");
        assertThat(call("fd_read", 0, buffers(100, 4), 1, 8)).isZero();
        assertThat(text(100, 2)).isEqualTo("er");
    }

    @Test
    void capturesOutputUpToItsLimit() {
        start(WasiContext.builder().stdoutLimit(6).build());
        memory().write(100, bytes("hello world"));

        assertThat(call("fd_write", 1, buffers(100, 3, 103, 8), 2, 8)).isZero();
        assertThat(call("fd_write", 2, buffers(106, 5), 1, 12)).isZero();

        assertThat(memory().readInt(8)).isEqualTo(11);
        assertThat(context.stdout().bytes()).asString().isEqualTo("hello ");
        assertThat(context.stdout().isTruncated()).isTrue();
        assertThat(context.stderr().bytes()).asString().isEqualTo("world");
        assertThat(context.stderr().isTruncated()).isFalse();
    }

    @Test
    void supportsOnlyTheStandardStreamsInTheirDirection() {
        start(WasiContext.minimal());

        assertThat(call("fd_write", 0, buffers(100, 1), 1, 8)).isEqualTo(Errno.BADF);
        assertThat(call("fd_read", 1, buffers(100, 1), 1, 8)).isEqualTo(Errno.BADF);
        assertThat(call("fd_write", 3, buffers(100, 1), 1, 8)).isEqualTo(Errno.BADF);
        assertThat(call("fd_write", 0xffff_ffffL, buffers(100, 1), 1, 8)).isEqualTo(Errno.BADF);
        assertThat(call("fd_prestat_get", 3, 0)).isEqualTo(Errno.BADF);
        assertThat(call("fd_fdstat_get", 3, 0)).isEqualTo(Errno.BADF);
        assertThat(call("path_open", 3, 0, 0, 1, 0, 0, 0, 0, 0)).isEqualTo(Errno.BADF);
        assertThat(call("sock_accept", 3, 0, 0)).isEqualTo(Errno.BADF);
    }

    @Test
    void reportsAClosedStreamAsMissing() {
        start(WasiContext.minimal());

        assertThat(call("fd_close", 1)).isZero();
        assertThat(call("fd_close", 1)).isEqualTo(Errno.BADF);
        assertThat(call("fd_close", 3)).isEqualTo(Errno.BADF);
        assertThat(call("fd_write", 1, buffers(100, 1), 1, 8)).isEqualTo(Errno.BADF);
    }

    @Test
    void reportsTheTypesOfTheStreams() {
        start(WasiContext.minimal());

        assertThat(call("fd_fdstat_get", 1, 0)).isZero();
        assertThat(memory().readInt(0)).isEqualTo(1 << 16);
        assertThat(memory().readInt(8)).isEqualTo(1 << 6);
        assertThat(call("fd_fdstat_get", 0, 0)).isZero();
        assertThat(memory().readInt(8)).isEqualTo(1 << 1);
        assertThat(call("fd_filestat_get", 1, 0)).isZero();
        assertThat(call("fd_seek", 1, 0, 0, 0)).isEqualTo(Errno.SPIPE);
        assertThat(call("old_fd_tell", 0, 0)).isEqualTo(Errno.SPIPE);
    }

    @Test
    void rejectsSeekAndPollOnPipes() {
        start(WasiContext.builder().streams(WasiContext.Streams.PIPES).build());
        memory().writeInt(8, 1);

        assertThat(call("fd_seek", 0, 0, 0, 0)).isEqualTo(Errno.BADF);
        assertThat(call("poll_oneoff", 0, 100, 1, 200)).isEqualTo(Errno.INVAL);
    }

    @Test
    void supportsRealAndMonotonicTimeButNotProcessorTime() {
        start(WasiContext.builder().clock(InstantSource.fixed(NOON)).build());

        assertThat(call("clock_time_get", 0, 1, 0)).isZero();
        assertThat(longAt(0)).isEqualTo(NOON.getEpochSecond() * 1_000_000_000L + 1);
        assertThat(call("clock_time_get", 1, 1, 0)).isZero();
        var before = longAt(0);
        assertThat(call("clock_time_get", 1, 1, 0)).isZero();
        assertThat(longAt(0)).isPositive().isGreaterThanOrEqualTo(before);
        assertThat(call("clock_res_get", 1, 0)).isZero();
        assertThat(call("clock_time_get", 2, 1, 0)).isEqualTo(Errno.BADF);
        assertThat(call("clock_res_get", 3, 0)).isEqualTo(Errno.BADF);
        assertThat(call("clock_res_get", 4, 0)).isEqualTo(Errno.INVAL);
    }

    @Test
    void fillsExactlyTheRequestedRandomBytes() {
        start(WasiContext.minimal());

        assertThat(call("random_get", 100, 32)).isZero();

        assertThat(memory().read(100, 32)).isNotEqualTo(new byte[32]);
        assertThat(memory().read(132, 32)).containsOnly(0);
        assertThat(call("random_get", 0, 0)).isZero();
    }

    @Test
    void endsASleepAtTheDeadline() {
        start(WasiContext.minimal(), Deadline.after(Duration.ofMillis(100)));
        memory().writeInt(16, 1);
        memory().writeLong(24, Long.MAX_VALUE);

        assertThatExceptionOfType(DeadlineExceededException.class)
                .isThrownBy(() -> call("poll_oneoff", 0, 1000, 1, 2000));
        assertThat(guest.deadline().hasPassed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "old_"})
    void endsAShortSleepWithTheUserData(String version) {
        start(WasiContext.minimal());
        var clock = version.isEmpty() ? 16 : 24;
        memory().writeLong(0, 77);
        memory().writeInt(clock, 1);
        memory().writeLong(clock + 8, 1_000);

        assertThat(call(version + "poll_oneoff", 0, 1000, 1, 2000)).isZero();

        assertThat(memory().readInt(2000)).isEqualTo(1);
        assertThat(longAt(1000)).isEqualTo(77);
        assertThat(memory().readInt(1008)).isZero();
    }

    @Test
    void reportsStandardStreamsAsAlwaysReady() {
        start(WasiContext.minimal());
        memory().writeInt(8, 2);
        memory().writeInt(48 + 16, 1);
        memory().writeLong(48 + 24, Long.MAX_VALUE);

        assertThat(call("poll_oneoff", 0, 1000, 2, 2000)).isZero();
        assertThat(memory().readInt(2000)).isEqualTo(1);
        assertThat(memory().readInt(1008)).isEqualTo(2 << 16);
    }

    @Test
    void rejectsPollsOfNothingOrTooMuch() {
        start(WasiContext.minimal());
        memory().writeInt(8, 9);

        assertThat(call("poll_oneoff", 0, 0, 0, 0)).isEqualTo(Errno.INVAL);
        assertThat(call("poll_oneoff", 0, 0, 0xffff_ffffL, 0)).isEqualTo(Errno.INVAL);
        assertThat(call("poll_oneoff", 0, 1000, 1, 2000)).isEqualTo(Errno.INVAL);
    }

    @Test
    void endsTheGuestOnExitAndTrapsOnAnInvalidExitCode() {
        start(WasiContext.minimal());

        assertThatExceptionOfType(GuestExitException.class)
                .isThrownBy(() -> call("proc_exit", 3))
                .returns(3, GuestExitException::code);
        assertThatExceptionOfType(GuestExitException.class).isThrownBy(() -> call("proc_exit", 125));
        assertThatExceptionOfType(TrapException.class).isThrownBy(() -> call("proc_exit", 126));
        assertThatExceptionOfType(TrapException.class).isThrownBy(() -> call("proc_exit", 0xffff_ffffL));
        assertThatExceptionOfType(TrapException.class).isThrownBy(() -> call("proc_raise", 6));
        assertThat(call("sched_yield")).isZero();
    }

    @Test
    void trapsOnPointersOutOfRange() {
        start(WasiContext.minimal());
        var end = memory().size();
        context.stdin().append(bytes("text"));

        for (Runnable action : new Runnable[] {
            () -> call("args_sizes_get", end - 2, 0),
            () -> call("clock_time_get", 0, 0, end - 4),
            () -> call("random_get", end - 4, 8),
            () -> call("random_get", 0, 0xffff_ffffL),
            () -> call("fd_write", 1, end - 4, 1, 0),
            () -> call("fd_write", 1, buffers(end - 1, 2), 1, 8),
            () -> call("fd_write", 1, buffers(100, 0xffff_ffffL), 1, 8),
            () -> call("fd_read", 0, buffers(end - 1, 4), 1, 8),
            () -> call("poll_oneoff", end - 8, 0, 1, 0),
            () -> call("fd_fdstat_get", 1, 0xffff_ffffL)
        }) {
            assertThatExceptionOfType(TrapException.class)
                    .isThrownBy(action::run)
                    .returns(TrapException.Kind.OUT_OF_BOUNDS, TrapException::kind);
        }
        assertThat(call("fd_write", 1, 0, 0xffff_ffffL, 0)).isEqualTo(Errno.INVAL);
        assertThat(call("fd_read", 0, 0, 0xffff_ffffL, 0)).isEqualTo(Errno.INVAL);
    }

    @Test
    void reportsAHostStateWithoutWasi() {
        try (var instance = module.instantiate(SizeLimits.DEFAULT, Deadline.NONE, "no guest")) {
            assertThatExceptionOfType(TrapException.class)
                    .isThrownBy(() -> instance.call("sched_yield"))
                    .withMessageContaining("WasiGuest");
        }
    }

    private LinkedModule linked() {
        try (var compiled = engine.compile(Guests.module("wasi"))) {
            return compiled.link(Wasi.imports());
        }
    }

    private void start(WasiContext wasi) {
        start(wasi, Deadline.NONE);
    }

    private void start(WasiContext wasi, Deadline deadline) {
        guest.close();
        context = wasi;
        guest = instance(wasi, deadline);
    }

    private Instance instance(WasiContext wasi, Deadline deadline) {
        WasiGuest state = () -> wasi;
        return module.instantiate(SizeLimits.DEFAULT, deadline, state);
    }

    private long call(String function, long... arguments) {
        var results = guest.call(function, arguments);
        return results.length == 0 ? 0 : results[0];
    }

    private Memory memory() {
        return guest.memory();
    }

    /** Writes iovecs at 5000: pairs of address and length. */
    private long buffers(long... pairs) {
        for (var index = 0; index < pairs.length; index++) {
            memory().writeInt(5000 + 4L * index, (int) pairs[index]);
        }
        return 5000;
    }

    private long longAt(long address) {
        return Integer.toUnsignedLong(memory().readInt(address)) | (long) memory().readInt(address + 4) << 32;
    }

    private String text(long address, int length) {
        return new String(memory().read(address, length), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @AfterEach
    void release() {
        guest.close();
    }

    @AfterAll
    void close() {
        module.close();
        engine.close();
    }

    @Test
    void endsAGuestThatDoesNotReadItsInputBeforeItFillsTheHeap() {
        var input = new StandardInput();
        var answer = new byte[1 << 20];
        for (var call = 0; call < 64; call++) {
            input.append(answer);
        }

        assertThatExceptionOfType(TrapException.class)
                .isThrownBy(() -> input.append(answer))
                .withMessageContaining("67108864");
        assertThat(input.read(answer.length, (_, _, _) -> {})).isEqualTo(answer.length);
        input.append(answer);
    }
}
