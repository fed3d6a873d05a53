package io.portcullis.server.cluster.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.Checkout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Shows how a JVM with the flags of our programs reacts to exhausted memory. See docs/decisions/0008-out-of-memory.md. */
class OutOfMemoryTest {

    /** Runs in a separate process. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) {
            try {
                switch (arguments[0]) {
                    case "heap" -> System.out.println(exhaustHeap().length);
                    case "native" -> Arena.ofConfined().allocate(1L << 60);
                    default -> throw new IllegalArgumentException(arguments[0]);
                }
            } catch (OutOfMemoryError e) {
                System.out.println("caught " + e.getMessage());
            }
        }

        private static byte[][] exhaustHeap() {
            var all = new byte[1 << 10][];
            for (var i = 0; i < all.length; i++) {
                all[i] = new byte[1 << 20];
            }
            return all;
        }
    }

    private record Exit(int code, String output) {}

    private static Exit run(String memory) throws IOException, InterruptedException {
        var process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "@" + Checkout.current().root().resolve("distribution/launcher/jvm.options"),
                        "-Xmx32m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        memory))
                .redirectErrorStream(true)
                .start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Exit(process.waitFor(), output);
    }

    @Test
    void anExhaustedHeapEndsTheProcessEvenIfTheErrorIsCaught() throws Exception {
        var ended = run("heap");

        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.output()).contains("Java heap space").doesNotContain("caught");
    }

    @Test
    void exhaustedNativeMemoryIsAnErrorThatCanBeCaught() throws Exception {
        var ended = run("native");

        assertThat(ended.code()).isZero();
        assertThat(ended.output()).contains("caught Unable to allocate");
    }
}
