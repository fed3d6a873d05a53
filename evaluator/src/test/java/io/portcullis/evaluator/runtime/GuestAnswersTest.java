package io.portcullis.evaluator.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.evaluator.SettingsOutcome;
import io.portcullis.evaluator.json.JsonException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GuestAnswersTest {

    @Test
    void readsAllKeysOfAnAnswer() {
        var answer = validation("""
                {"accepted":false,"message":"no","code":403,"mutated_object":{"a": 1},"extra":[{}],
                 "audit_annotations":{"k":"v"},"warnings":["w1","w2"]}""");

        assertThat(answer.accepted()).isFalse();
        assertThat(answer.message()).contains("no");
        assertThat(answer.code()).contains(403);
        assertThat(answer.mutatedObject().orElseThrow())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("{\"a\": 1}");
        assertThat(answer.auditAnnotations()).isEqualTo(Map.of("k", "v"));
        assertThat(answer.warnings()).containsExactly("w1", "w2");
    }

    @Test
    void treatsNullAsAbsent() {
        var answer = validation("{\"accepted\":true,\"message\":null,\"code\":null,\"mutated_object\":null,"
                + "\"audit_annotations\":null,\"warnings\":null}");

        assertThat(answer)
                .isEqualTo(
                        new ValidationResponse(true, Optional.empty(), Optional.empty(), Optional.empty(), null, null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "                                    |EOF while parsing a value at line 1 column 0",
                "{}                                  |missing field `accepted` at line 1 column 2",
                "[]                                  |invalid type: sequence, expected struct ValidationResponse at line 1 column 0",
                "{\"accepted\":1}                    |invalid type: integer `1`, expected a boolean at line 1 column 13",
                "{\"accepted\":null}                 |invalid type: null, expected a boolean at line 1 column 16",
                "{\"accepted\":true,\"code\":70000}  |invalid value: integer `70000`, expected u16 at line 1 column 29",
                "{\"accepted\":true,\"warnings\":[1]} |invalid type: integer `1`, expected a string at line 1 column 30",
                "{\"accepted\":true} x               |trailing characters at line 1 column 19",
            })
    void rejectsInvalidAnswers(String json, String problem) {
        assertThatThrownBy(() -> validation(json == null ? "" : json))
                .isInstanceOf(JsonException.class)
                .extracting(e -> ((JsonException) e).problem())
                .isEqualTo(problem);
    }

    @Test
    void readsSettingsValidationResults() {
        assertThat(settings("{\"valid\":true,\"message\":\"ignored\"}")).isEqualTo(new SettingsOutcome.Valid());
        assertThat(settings("{\"valid\":false}")).isEqualTo(new SettingsOutcome.Invalid(Optional.empty()));
        assertThat(settings("{\"valid\":false,\"message\":\"no\"}"))
                .isEqualTo(new SettingsOutcome.Invalid(Optional.of("no")));
        assertThatThrownBy(() -> settings("{}")).hasMessage("missing field `valid` at line 1 column 2");
    }

    private static ValidationResponse validation(String json) {
        return GuestAnswers.validation(json.getBytes(StandardCharsets.UTF_8));
    }

    private static SettingsOutcome settings(String json) {
        return GuestAnswers.settings(json.getBytes(StandardCharsets.UTF_8));
    }
}
