package io.portcullis.process.signals;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Runs each case in a separate process, because signals end processes. */
class SignalsTest {

    /** Waits for a signal, then for the end of its input, then exits. */
    public static final class Patient {
        private Patient() {}

        static void main() throws Exception {
            try (var signals = Signals.install()) {
                System.out.println("installed");
                signals.await();
                System.out.println("asked");
                System.in.read();
            }
        }
    }

    /** Never starts to wait for signals. */
    public static final class StillStarting {
        private StillStarting() {}

        static void main() throws Exception {
            try (var _ = Signals.install()) {
                System.out.println("installed");
                new CountDownLatch(1).await();
            }
        }
    }

    /** Does not exit after a signal. */
    public static final class Stuck {
        private Stuck() {}

        static void main() throws Exception {
            try (var signals = Signals.install()) {
                signals.endWithin(Duration.ofMillis(100));
                System.out.println("installed");
                signals.await();
                new CountDownLatch(1).await();
            }
        }
    }

    private static Process start(Class<?> program) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        program.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static BufferedReader awaitInstalled(Process process) throws IOException {
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        assertThat(out.readLine()).isEqualTo("installed");
        return out;
    }

    private static void assertEndsNormally(Process process) throws InterruptedException {
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void shutsDownInOrderOnTheFirstSignal() throws Exception {
        var process = start(Patient.class);
        var out = awaitInstalled(process);

        process.toHandle().destroy();
        assertThat(out.readLine()).isEqualTo("asked");
        process.getOutputStream().close();

        assertEndsNormally(process);
    }

    @Test
    void endsAStartingProcessOnTheFirstSignal() throws Exception {
        var process = start(StillStarting.class);
        var _ = awaitInstalled(process);

        process.toHandle().destroy();

        assertEndsNormally(process);
    }

    @Test
    void endsAStuckProcessAfterItsLimit() throws Exception {
        var process = start(Stuck.class);
        var _ = awaitInstalled(process);

        process.toHandle().destroy();

        assertEndsNormally(process);
    }

    @Test
    void endsTheProcessAtOnceOnTheSecondSignal() throws Exception {
        var process = start(Patient.class);
        var out = awaitInstalled(process);

        process.toHandle().destroy();
        assertThat(out.readLine()).isEqualTo("asked");
        while (process.isAlive()) {
            process.toHandle().destroy();
            process.waitFor(10, TimeUnit.MILLISECONDS);
        }

        assertThat(process.exitValue()).isEqualTo(143);
    }
}
