package io.portcullis.core.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookNamesTest {

    @Test
    void findsTheGenerationInAPath() {
        assertThat(WebhookNames.generation(WebhookNames.path("kw.cap.p", 42))).isEqualTo(42);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "/validate/p",
                "/validate/p/",
                "/validate/p/0",
                "/validate/p/-1",
                "/validate/p/1/2",
                "/validate//1",
                "/audit/p/1",
                "/validate/p/9999999999999999999"
            })
    void findsNoGenerationInOtherPaths(String path) {
        assertThat(WebhookNames.generation(path)).isZero();
    }
}
