package io.portcullis.evaluator.review;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.evaluator.EvaluationRequest.Admission;
import io.portcullis.evaluator.EvaluationRequest.GroupVersionName;
import io.portcullis.evaluator.json.JsonException.Kind;
import io.portcullis.evaluator.json.JsonTree;
import io.portcullis.evaluator.testing.WireExample;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReviewsTest {

    private static final String REQUIRED = """
            "uid":"u1","kind":{"group":"","version":"v1","kind":"Pod"},\
            "resource":{"group":"","version":"v1","resource":"pods"},"operation":"CREATE","userInfo":{}""";

    @Test
    void readsTheFieldsThatTheServerNeeds() {
        var request = Reviews.admission(WireExample.named("01-allowed").requestBody());

        assertThat(request.uid()).isEqualTo("1299d386-525b-4032-98ae-1949f69f9cfc");
        assertThat(request.kind()).isEqualTo(new GroupVersionName("", "v1", "Pod"));
        assertThat(request.resource()).isEqualTo(new GroupVersionName("", "v1", "pods"));
        assertThat(request.operation()).isEqualTo("CREATE");
        assertThat(request.requestKind()).contains("Pod");
        assertThat(request.name()).contains("nginx");
        assertThat(request.namespace()).contains("default");
        assertThat(request.subResource()).isEmpty();
    }

    @Test
    void copiesAllKnownKeysThatHaveAValue() {
        var body = WireExample.named("01-allowed").requestBody();
        var original = JsonTree.parse(body).get("request").<com.fasterxml.jackson.databind.node.ObjectNode>deepCopy();
        original.remove("oldObject");

        var request = Reviews.admission(body);

        assertThat(JsonTree.parse(request.json())).isEqualTo(original);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "unknown keys                 |,\"extra\":1,\"more\":{\"a\":[]} |",
                "absent values                |,\"object\":null,\"name\":null,\"dryRun\":null,\"requestKind\":null |",
                "known keys                   |,\"dryRun\":true,\"name\":\"n\" |,\"dryRun\":true,\"name\":\"n\"",
                "values byte for byte         |,\"object\": {\"b\": 1.0, \"a\":[ ]} |,\"object\":{\"b\": 1.0, \"a\":[ ]}",
                "keys however they are spelt  |,\"\\u006eame\":\"x\"     |,\"name\":\"x\"",
                "snake case is not known      |,\"old_object\":{}       |",
                "inner keys of known shape    |,\"requestKind\":{\"group\":\"g\",\"x\":1,\"version\":\"v\",\"kind\":\"k\"} |,\"requestKind\":{\"group\":\"g\",\"version\":\"v\",\"kind\":\"k\"}",
            })
    void copiesOnlyKeysOfTheContract(String what, String sent, String kept) {
        var request = admission("{" + REQUIRED + sent + "}");

        assertThat(request.json())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("{" + REQUIRED + (kept == null ? "" : kept) + "}");
    }

    @Test
    void copiesOnlyKnownKeysOfTheUser() {
        var request = admission("{"
                + REQUIRED.replace(
                        "{}",
                        "{\"username\":\"u\",\"uid\":null,\"new\":1,\"groups\":[\"a\"],\"extra\":{\"k\":[\"v\"]}}")
                + "}");

        assertThat(request.json())
                .asString(StandardCharsets.UTF_8)
                .endsWith("\"userInfo\":{\"username\":\"u\",\"groups\":[\"a\"],\"extra\":{\"k\":[\"v\"]}}}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "11-malformed-json",
                "12-valid-json-wrong-shape",
                "13-empty-body",
                "14-missing-uid",
                "15-missing-userinfo",
                "18-request-only-uid",
                "76-audit-malformed",
                "77-audit-wrong-shape",
                "90-raw-body-on-validate"
            })
    void rejectsWithTheMessagesOfKubewarden(String name) {
        var example = WireExample.named(name);

        assertThatThrownBy(() -> Reviews.admission(example.requestBody())).hasMessage(example.errorText());
    }

    @ParameterizedTest
    @ValueSource(strings = {"86-raw-malformed", "87-raw-missing-request"})
    void rejectsRawBodiesWithTheMessagesOfKubewarden(String name) {
        var example = WireExample.named(name);

        assertThatThrownBy(() -> Reviews.raw(example.requestBody())).hasMessage(example.errorText());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "SYNTAX|{\"request\":{\"object\":[}}",
                "SYNTAX|{\"request\":",
                "SHAPE |{}",
                "SHAPE |[]",
                "SHAPE |{\"request\":null}",
                "SHAPE |{\"request\":{\"uid\":1}}",
                "SHAPE |{\"request\":{\"uid\":\"a\",\"uid\":\"b\"}}",
                "SHAPE |{\"request\":{\"kind\":{\"group\":null}}}",
                "SHAPE |{\"request\":{\"userInfo\":null}}",
                "SHAPE |{\"request\":{\"userInfo\":{\"groups\":[1]}}}",
            })
    void distinguishesInvalidSyntaxFromInvalidShape(Kind kind, String body) {
        assertThatThrownBy(() -> Reviews.admission(body.getBytes(StandardCharsets.UTF_8)))
                .asInstanceOf(InstanceOfAssertFactories.type(BadReviewException.class))
                .extracting(BadReviewException::kind)
                .isEqualTo(kind);
    }

    @Test
    void rejectsDeepNestingAsInvalidSyntax() {
        var body = "{\"request\":{\"object\":" + "[".repeat(200) + "]".repeat(200) + "}}";

        assertThatThrownBy(() -> Reviews.admission(body.getBytes(StandardCharsets.UTF_8)))
                .hasMessageContaining("recursion limit exceeded")
                .extracting(e -> ((BadReviewException) e).kind())
                .isEqualTo(Kind.SYNTAX);
    }

    @Test
    void reportsThePathOfAnInvalidValue() {
        assertThatThrownBy(() -> admission("{\"userInfo\":{\"extra\":{\"k\":[\"v\",1]}}}"))
                .hasMessageContaining(
                        "request.userInfo.extra.k[1]: invalid type: integer `1`, expected a string at line 1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"request\":{\"uid\":\"abc\",\"a\":1}}      |abc|{\"uid\":\"abc\",\"a\":1}",
                "{\"request\":{\"uid\":5}}                   |   |{\"uid\":5}",
                "{\"x\":1,\"request\": [1, 2] ,\"y\":{}}     |   |[1, 2]",
                "{\"request\":null}                          |   |null",
                "{\"request\":\"text\"}                      |   |\"text\"",
            })
    void acceptsAnyValueAsARawRequest(String body, String uid, String json) {
        var request = Reviews.raw(body.getBytes(StandardCharsets.UTF_8));

        assertThat(request.uid()).isEqualTo(Optional.ofNullable(uid).orElse(""));
        assertThat(request.json()).asString(StandardCharsets.UTF_8).isEqualTo(json);
    }

    private static Admission admission(String request) {
        return Reviews.admission(("{\"request\":" + request + "}").getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"uid\":\"u2\"",
                "\"operation\":\"DELETE\"",
                "\"userInfo\":{}",
                "\"name\":\"a\",\"name\":\"b\"",
                "\"namespace\":\"a\",\"namespace\":\"b\"",
                "\"namespace\":null,\"namespace\":\"b\"",
                "\"object\":{},\"object\":{\"a\":1}",
                "\"object\":{},\"obj\\u0065ct\":{\"a\":1}",
                "\"oldObject\":{},\"oldObject\":null",
                "\"dryRun\":true,\"dryRun\":false",
            })
    void rejectsDuplicateKeysInARequest(String again) {
        var body = "{\"request\":{" + REQUIRED + "," + again + "}}";

        assertThatThrownBy(() -> Reviews.admission(body.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(BadReviewException.class)
                .hasMessageContaining("duplicate field");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"request\":{},\"request\":{}}",
                "{\"request\":{\"uid\":\"a\",\"uid\":\"b\"}}",
                "{\"request\":{\"uid\":1,\"uid\":\"b\"}}",
            })
    void rejectsDuplicateKeysInARawRequest(String body) {
        assertThatThrownBy(() -> Reviews.raw(body.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(BadReviewException.class)
                .hasMessageContaining("duplicate field");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"username\":\"a\",\"username\":\"b\"}",
                "{\"groups\":[],\"groups\":[\"system:masters\"]}",
                "{\"groups\":null,\"groups\":[\"system:masters\"]}",
            })
    void rejectsDuplicateKeysInTheUser(String user) {
        var body = "{\"request\":{" + REQUIRED.replace("\"userInfo\":{}", "\"userInfo\":" + user) + "}}";

        assertThatThrownBy(() -> Reviews.admission(body.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(BadReviewException.class)
                .hasMessageContaining("duplicate field");
    }
}
