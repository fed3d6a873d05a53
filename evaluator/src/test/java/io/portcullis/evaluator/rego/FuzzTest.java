package io.portcullis.evaluator.rego;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.portcullis.evaluator.json.JsonException;
import io.portcullis.evaluator.rego.value.ValueParser;
import io.portcullis.evaluator.rego.value.ValueWriter;
import io.portcullis.evaluator.review.BadReviewException;
import io.portcullis.evaluator.review.Reviews;
import io.portcullis.evaluator.runtime.GuestAnswers;
import io.portcullis.evaluator.runtime.GuestOutcome;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Feeds randomly mutated valid input to all parsers of external bytes. Each input must be parsed or rejected. Seeds are
 * fixed.
 */
class FuzzTest {

    private static final int ROUNDS = 20_000;
    private static final String INTERESTING = "{}[]\",:\\u0000-+.eE0123456789truefalsn \t\n\u00ff\u0080";

    private static final String REVIEW = """
            {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"group":"","version":"v1",\
            "kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},"operation":"CREATE","userInfo":{"username":"a",\
            "groups":["g"],"extra":{"k":["v"]}},"object":{"a":[1,-2.5e3,"\\u00e9\\n",null,true,{"b":{}}]},"dryRun":false}}""";

    private static final String VERDICT =
            "{\"accepted\":false,\"message\":\"no\",\"code\":403,\"mutated_object\":{\"a\":1},\"audit_annotations\":{\"k\":\"v\"},\"warnings\":[\"w\"]}";

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void parsesOrRejectsReviews(long seed) {
        fuzz(seed, REVIEW, bytes -> {
            try {
                assertThat(Reviews.admission(bytes).json()).isNotEmpty();
            } catch (BadReviewException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5})
    void parsesOrRejectsRawReviews(long seed) {
        fuzz(seed, "{\"request\":{\"uid\":\"u\",\"user\":[1,2,{\"a\":\"b\"}]}}", bytes -> {
            try {
                assertThat(Reviews.raw(bytes).json()).isNotEmpty();
            } catch (BadReviewException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {6, 7})
    void parsesOrRejectsGuestAnswers(long seed) {
        fuzz(seed, VERDICT, bytes -> {
            try {
                assertThat(GuestAnswers.validation(bytes)).isNotNull();
            } catch (JsonException e) {
                assertThat(e.problem()).isNotBlank();
            }
            try {
                assertThat(GuestAnswers.settings(bytes)).isNotNull();
            } catch (JsonException e) {
                assertThat(e.problem()).isNotBlank();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 9})
    void parsesOrRejectsRegoValues(long seed) {
        fuzz(seed, "{\"a\":[1,2.5,{\"x\",\"y\"},set(),null,true],\"b\":{1:\"\\u00e9\"}}", bytes -> {
            try {
                var value = ValueParser.parse(new String(bytes, StandardCharsets.UTF_8));
                assertThat(ValueParser.parse(ValueWriter.rego(value))).isEqualTo(value);
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        });
    }

    /** Only the one valid shape of a result may allow a request. */
    @ParameterizedTest
    @ValueSource(longs = {10, 11})
    void allowsOnlyForValidRegoResults(long seed) {
        fuzz(
                seed,
                "[{\"result\":{\"response\":{\"uid\":\"u\",\"allowed\":false,\"status\":{\"message\":\"m\"}}}}]",
                bytes -> assertThatNoException().isThrownBy(() -> OpaResult.interpret(bytes)));
        fuzz(
                seed,
                "[{\"result\":[{\"msg\":\"m\"}]}]",
                bytes -> assertThat(GatekeeperResult.interpret(bytes)).isInstanceOf(GuestOutcome.class));
    }

    private static void fuzz(long seed, String valid, Consumer<byte[]> read) {
        var random = new Random(seed);
        var original = valid.getBytes(StandardCharsets.UTF_8);
        for (int round = 0; round < ROUNDS; round++) {
            read.accept(mutate(original, random));
        }
    }

    private static byte[] mutate(byte[] original, Random random) {
        var bytes = original.clone();
        for (int changes = 1 + random.nextInt(4); changes > 0 && bytes.length > 1; changes--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(4)) {
                case 0 -> bytes[at] = (byte) INTERESTING.charAt(random.nextInt(INTERESTING.length()));
                case 1 -> bytes[at] = (byte) random.nextInt();
                case 2 -> bytes = Arrays.copyOf(bytes, at);
                default -> {
                    int length = random.nextInt(bytes.length - at);
                    var longer = new byte[bytes.length + length];
                    System.arraycopy(bytes, 0, longer, 0, at + length);
                    System.arraycopy(bytes, at, longer, at + length, bytes.length - at);
                    bytes = longer;
                }
            }
        }
        return bytes;
    }
}
