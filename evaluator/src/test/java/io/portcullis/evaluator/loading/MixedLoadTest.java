package io.portcullis.evaluator.loading;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MixedLoadTest {

    private static final int COUNT = Integer.getInteger("portcullis.mixed.requests", 1_000);

    @Test
    void answersEveryRequestCorrectlyWithoutLeakingMemory() throws InterruptedException {
        try (var load = new MixedLoad()) {
            assertThat(load.run(COUNT / 2)).isEmpty();
            long before = MixedLoad.nativeMebibytes();

            assertThat(load.run(COUNT)).isEmpty();

            assertThat(MixedLoad.nativeMebibytes() - before).isLessThan(64);
        }
    }
}
