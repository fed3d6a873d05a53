package io.portcullis.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.server.memory.MemorySplit.OperatorLimits;
import io.portcullis.server.memory.MemorySplit.TooSmallException;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemorySplitTest {

    private static final long MIB = 1 << 20;

    /** All values are MiB. The JVM chooses a quarter of the limit as its heap. */
    @ParameterizedTest
    @CsvSource({
        // limit, heap, processors, reserve, guests, code, preparation, at once, each
        "  256,   64,  2,   80,    8,    8,   96, 1,   96",
        "  384,   96,  2,   88,   30,   30,  140, 1,  140",
        "  512,  128,  2,   96,   43,   43,  201, 1,  201",
        " 1024,  256,  2,  128,   96,   96,  448, 1,  400",
        " 2048,  512,  2,  192,  202,  202,  940, 1,  892",
        " 4096, 1024,  2,  320,  864,  864, 1024, 1,  976",
        "16384, 4096,  2,  512, 4864, 4864, 2048, 2, 1000",
        "16384, 4096, 16,  512, 1792, 1792, 8192, 8, 1018",
    })
    void dividesTheLimit(
            long limit,
            long heap,
            int processors,
            long reserve,
            long guests,
            long code,
            long preparation,
            int preparations,
            long each) {
        var split = MemorySplit.of(limit * MIB, heap * MIB, processors, OperatorLimits.NONE);
        assertThat(new long[] {
                    split.reserveBytes() / MIB,
                    Math.round((double) split.guestBytes() / MIB),
                    Math.round((double) split.codeBytes() / MIB),
                    split.preparationBytes() / MIB,
                    split.preparations(),
                    split.preparationBytesEach() / MIB
                })
                .containsExactly(reserve, guests, code, preparation, preparations, each);
    }

    @Test
    void neverAssignsMoreThanTheLimit() {
        var seed = 7;
        var random = new Random(seed);
        for (var i = 0; i < 2000; i++) {
            var limit = random.nextLong(100, 40_000) * MIB;
            var heap = random.nextLong(16, 10_000) * MIB;
            var operatorLimits =
                    new OperatorLimits(randomLimit(random), randomLimit(random), randomLimit(random), count(random));
            try {
                var split = MemorySplit.of(limit, heap, 1 + random.nextInt(64), operatorLimits);
                assertThat(split.heapBytes()
                                + split.reserveBytes()
                                + split.guestBytes()
                                + split.codeBytes()
                                + split.preparationBytes())
                        .as("seed %d: %s of %s", seed, split, operatorLimits)
                        .isLessThanOrEqualTo(limit);
                assertThat(split.preparationBytesEach() * split.preparations())
                        .as("seed %d: %s", seed, split)
                        .isLessThanOrEqualTo(split.preparationBytes());
                assertThat(split.guestBytes()).isPositive();
                assertThat(split.codeBytes()).isPositive();
            } catch (TooSmallException e) {
                assertThat(e.getMessage()).contains(limit / MIB + " MiB is too small");
            }
        }
    }

    private static OptionalLong randomLimit(Random random) {
        return random.nextInt(3) > 0 ? OptionalLong.empty() : OptionalLong.of(random.nextLong(1, 2000) * MIB);
    }

    private static OptionalInt count(Random random) {
        return random.nextInt(3) > 0 ? OptionalInt.empty() : OptionalInt.of(random.nextInt(1, 8));
    }

    @Test
    void usesTheLimitsOfTheOperator() {
        var operatorLimits = new OperatorLimits(
                OptionalLong.of(100 * MIB), OptionalLong.of(50 * MIB), OptionalLong.of(300 * MIB), OptionalInt.of(2));
        var split = MemorySplit.of(2048 * MIB, 512 * MIB, 4, operatorLimits);
        assertThat(split.guestBytes()).isEqualTo(100 * MIB);
        assertThat(split.codeBytes()).isEqualTo(50 * MIB);
        assertThat(split.preparationBytesEach()).isEqualTo(300 * MIB);
        assertThat(split.preparations()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"200, 50", "256, 126", "512, 512", "512, 400"})
    void refusesALimitThatIsTooSmall(long limit, long heap) {
        assertThatThrownBy(() -> MemorySplit.of(limit * MIB, heap * MIB, 2, OperatorLimits.NONE))
                .isInstanceOf(TooSmallException.class)
                .hasMessageContaining(limit + " MiB is too small")
                .hasMessageContaining("heap takes " + heap + " MiB")
                .hasMessageContaining("-Xmx");
    }

    @Test
    void refusesOperatorLimitsThatDoNotFit() {
        var operatorLimits = new OperatorLimits(
                OptionalLong.of(400 * MIB), OptionalLong.empty(), OptionalLong.empty(), OptionalInt.empty());
        assertThatThrownBy(() -> MemorySplit.of(512 * MIB, 128 * MIB, 2, operatorLimits))
                .hasMessageContaining("policies 400 MiB");
    }

    @Test
    void describesItselfInOneLine() {
        assertThat(MemorySplit.of(512 * MIB, 128 * MIB, 2, OperatorLimits.NONE).describe())
                .isEqualTo("limit 512 MiB = heap 128 MiB + JVM 96 MiB + policies 43 MiB + compiled modules 43 MiB"
                        + " + preparation 201 MiB (1 at once, 201 MiB each)");
    }
}
