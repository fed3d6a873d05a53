package io.portcullis.api.capability;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CapabilityPatternTest {

    @Test
    void everyCapabilityGrantsItself() {
        assertThat(CapabilityPattern.ALL).allSatisfy(capability -> {
            assertThat(CapabilityPattern.check(capability)).isEmpty();
            assertThat(CapabilityPattern.grants(capability, capability)).isTrue();
            assertThat(CapabilityPattern.grants("*", capability)).isTrue();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "oci/*, oci/v1/verify, true",
        "oci/v1/*, oci/v1/verify, true",
        "oci/v2/*, oci/v1/verify, false",
        "oci/v1/oci_manifest, oci/v1/oci_manifest_config, false",
        "kubernetes/*, kubernetes/can_i, true",
        "net/*, kubernetes/can_i, false",
    })
    void patternsGrantTheCapabilitiesThatTheyMatch(String pattern, String capability, boolean granted) {
        assertThat(CapabilityPattern.check(pattern)).isEmpty();
        assertThat(CapabilityPattern.grants(pattern, capability)).isEqualTo(granted);
    }
}
