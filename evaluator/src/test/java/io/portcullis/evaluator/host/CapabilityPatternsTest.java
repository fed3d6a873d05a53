package io.portcullis.evaluator.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.capability.CapabilityPattern;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CapabilityPatternsTest {

    @ParameterizedTest
    @CsvSource({
        "*, kubernetes/can_i, true",
        "oci/*, oci/v2/verify, true",
        "oci/v2/*, oci/v1/verify, false",
        "oci/v1/*, oci/v1/oci_manifest_config, true",
        "oci/v1/oci_manifest, oci/v1/oci_manifest, true",
        "oci/v1/oci_manifest, oci/v1/oci_manifest_config, false",
        "' kubernetes/* ', kubernetes/get_resource, true",
    })
    void matchesWholeSegments(String pattern, String path, boolean allowed) {
        assertThat(CapabilityPatterns.problem(List.of(pattern))).isEmpty();
        assertThat(CapabilityPatterns.allow(List.of(pattern), path)).isEqualTo(allowed);
    }

    @Test
    void emptyListDeniesEverything() {
        assertThat(CapabilityPattern.ALL).noneMatch(path -> CapabilityPatterns.allow(List.of(), path));
    }

    @Test
    void acceptsEveryKnownCapabilityAsAPattern() {
        assertThat(CapabilityPatterns.problem(CapabilityPattern.ALL)).isEmpty();
    }

    @Test
    void ignoresPatternsAfterTheFullWildcard() {
        assertThat(CapabilityPatterns.problem(List.of("*", "nonsense"))).isEmpty();
        assertThat(CapabilityPatterns.problem(List.of("nonsense", "*"))).isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                       | invalid pattern: pattern must not be empty",
                "oci*                     | the wildcard '*' must be the entire last segment",
                "oci/v1/oci_*             | the wildcard '*' must be the entire last segment",
                "*/oci                    | the wildcard '*' must be the entire last segment",
                "oci/*/*                  | the wildcard '*' must be the entire last segment",
                "oci/v99/verify           | unknown segment 'v99', valid segments are: v1, v2",
                "foo/*                    | unknown segment 'foo', valid segments are: crypto, kubernetes, net, oci",
                "oci                      | incomplete capability path, did you mean 'oci/*'?",
                "oci/v1                   | incomplete capability path, did you mean 'oci/v1/*'?",
                "net/v1/dns_lookup_host/* | unknown segment '*', nothing may follow a complete capability path",
            })
    void rejectsPatternsThatCanNeverMatch(String pattern, String message) {
        assertThat(CapabilityPatterns.problem(List.of(pattern)))
                .hasValueSatisfying(problem -> assertThat(problem).contains(message));
    }

    @ParameterizedTest
    @ValueSource(strings = {"oci/v1/verify", "kubernetes/*"})
    void acceptsLeavesAndPrefixes(String pattern) {
        assertThat(CapabilityPatterns.problem(List.of(pattern))).isEmpty();
    }
}
