package io.portcullis.process.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizesTest {

    @ParameterizedTest
    @CsvSource({"1, 1", "512Mi, 536870912", "1Gi, 1073741824", "2k, 2000", "300M, 300000000", "16Ti, 17592186044416"})
    void readsAmountsAsKubernetesWritesThem(String text, long bytes) {
        assertThat(ByteSizes.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "1.5Gi", "Mi", "12MB", "999999999999999999Ti", "1 Gi", "0x10"})
    void refusesEverythingElse(String text) {
        assertThatThrownBy(() -> ByteSizes.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("512Mi");
    }
}
