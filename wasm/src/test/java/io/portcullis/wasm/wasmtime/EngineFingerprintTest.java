package io.portcullis.wasm.wasmtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EngineFingerprintTest {

    @Test
    void differsByVersionAndConfiguration() {
        var fingerprint = EngineFingerprint.of("50.0.1", "epoch_interruption=true");

        assertThat(fingerprint).startsWith("wasmtime-50.0.1-");
        assertThat(EngineFingerprint.of("50.0.1", "epoch_interruption=true")).isEqualTo(fingerprint);
        assertThat(EngineFingerprint.of("50.0.2", "epoch_interruption=true")).isNotEqualTo(fingerprint);
        assertThat(EngineFingerprint.of("50.0.1", "epoch_interruption=false")).isNotEqualTo(fingerprint);
    }
}
