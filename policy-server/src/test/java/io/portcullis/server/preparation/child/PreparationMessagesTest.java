package io.portcullis.server.preparation.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.loading.ModulePreparation.Job;
import io.portcullis.evaluator.loading.ModulePreparation.Trial;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.server.preparation.child.PreparationMessages.InvalidResultException;
import io.portcullis.server.preparation.child.PreparationResult.Prepared;
import io.portcullis.server.preparation.child.PreparationResult.Rejected;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PreparationMessagesTest {

    private static final long MAX = 1000;

    private static byte[] written(PreparationResult result) throws IOException {
        var out = new ByteArrayOutputStream();
        PreparationMessages.writeResult(result, out);
        return out.toByteArray();
    }

    private static PreparationResult read(byte[] bytes) throws IOException {
        return PreparationMessages.readResult(new ByteArrayInputStream(bytes), MAX);
    }

    @Test
    void readsTheJobThatWasWritten() throws IOException {
        var trial = new Trial(new byte[] {'{', '}'}, Duration.ofMillis(1500));
        var job = new Job("d", new byte[] {1, 2, 3}, ExecutionMode.WASI, "f", Optional.of(trial));
        var out = new ByteArrayOutputStream();
        PreparationMessages.writeJob(job, out);
        var read = PreparationMessages.readJob(new ByteArrayInputStream(out.toByteArray()));
        assertThat(read.wasm()).isEqualTo(job.wasm());
        assertThat(read.mode()).isEqualTo(ExecutionMode.WASI);
        assertThat(read.digest() + read.fingerprint()).isEqualTo("df");
        assertThat(read.trial().orElseThrow().timeout()).isEqualTo(trial.timeout());
        assertThat(read.trial().orElseThrow().settings()).isEqualTo(trial.settings());
    }

    @Test
    void readsTheResultThatWasWritten() throws IOException {
        assertThat(read(written(new Prepared(new byte[] {7, 8}))))
                .isInstanceOfSatisfying(
                        Prepared.class,
                        prepared -> assertThat(prepared.compiled()).containsExactly(7, 8));
        var rejected = new Rejected(Reason.LINK_ERROR, "no such import");
        assertThat(read(written(rejected))).isEqualTo(rejected);
    }

    @Test
    void shortensALongMessage() throws IOException {
        assertThat(read(written(new Rejected(Reason.INVALID_MODULE, "ä".repeat(100_000)))))
                .isInstanceOfSatisfying(
                        Rejected.class,
                        rejected -> assertThat(rejected.message()).hasSize(4096));
    }

    @Test
    void refusesAResultThatIsTooLargeBeforeReadingIt() throws IOException {
        var bytes = written(new Prepared(new byte[(int) MAX + 1]));
        assertThatThrownBy(() -> read(bytes))
                .isInstanceOfSatisfying(
                        InvalidResultException.class,
                        e -> assertThat(e.isTooLarge()).isTrue());
    }

    @Test
    void refusesCodeThatDoesNotMatchItsDigest() throws IOException {
        var bytes = written(new Prepared(new byte[] {7, 8}));
        bytes[bytes.length - 1]++;
        assertThatThrownBy(() -> read(bytes)).isInstanceOf(InvalidResultException.class);
    }

    @Test
    void keepsTheTextThatAChildWroteInsteadOfAResult() {
        assertThatThrownBy(
                        () -> read("# There is insufficient memory".getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .isInstanceOfSatisfying(
                        InvalidResultException.class, e -> assertThat(e.text()).contains("insufficient memory"));
    }

    @Test
    void allocatesMemoryForReceivedBytesNotForTheDeclaredLength() {
        var header = new ByteArrayOutputStream();
        header.writeBytes(new byte[] {0x70, 0x6f, 0x72, 0x74, 1});
        header.writeBytes(new byte[32]);
        header.writeBytes(new byte[] {0x7f, -1, -1, -17});
        var in = new ByteArrayInputStream(header.toByteArray());
        assertThatThrownBy(() -> PreparationMessages.readResult(in, Integer.MAX_VALUE))
                .isInstanceOf(EOFException.class);
    }

    /** Truncated and damaged results always throw an IOException. */
    @Test
    void survivesDamagedResults() throws IOException {
        var seed = 20;
        var random = new Random(seed);
        var whole = written(new Rejected(Reason.INVALID_SETTINGS, "some text"));
        for (var i = 0; i < whole.length; i++) {
            var cut = Arrays.copyOf(whole, i);
            assertThatThrownBy(() -> read(cut)).isInstanceOf(IOException.class);
        }
        for (var i = 0; i < 2000; i++) {
            var damaged = whole.clone();
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            try {
                assertThat(read(damaged)).as("seed " + seed).isNotNull();
            } catch (IOException e) {
                assertThat(e).as("seed " + seed).hasNoSuppressedExceptions();
            }
        }
    }
}
