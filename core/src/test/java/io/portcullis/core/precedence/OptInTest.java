package io.portcullis.core.precedence;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.testkit.sample.Samples;
import java.util.HashMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptInTest {

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            delimiter = '|',
            value = {
                "CLUSTER_ADMISSION_POLICY       | k   | overrides | k OVERRIDES",
                "CLUSTER_ADMISSION_POLICY_GROUP | a.b | defaults  | a.b DEFAULTS",
                "CLUSTER_ADMISSION_POLICY       | -   | -         | none",
                "CLUSTER_ADMISSION_POLICY       | k   | -         | none",
                "CLUSTER_ADMISSION_POLICY       | k   | Overrides | annotation kubewarden.io/merge-strategy has no effect: \"Overrides\" is neither defaults nor overrides",
                "CLUSTER_ADMISSION_POLICY       | k   | ''        | annotation kubewarden.io/merge-strategy has no effect: \"\" is neither defaults nor overrides",
                "CLUSTER_ADMISSION_POLICY       | -   | defaults  | annotation kubewarden.io/merge-strategy has no effect: \"defaults\" needs annotation kubewarden.io/policy-key",
                "CLUSTER_ADMISSION_POLICY       | ''  | defaults  | annotation kubewarden.io/policy-key has no effect: \"\" is not a valid key",
                "ADMISSION_POLICY               | k   | -         | k",
                "ADMISSION_POLICY_GROUP         | k   | -         | k",
                "ADMISSION_POLICY               | k   | overrides | k",
                "ADMISSION_POLICY               | -   | overrides | none",
                "CLUSTER_ADMISSION_POLICY       | k   | a23456789012345678901234567890123456789b | annotation kubewarden.io/merge-strategy has no effect: \"a23456789012345678901234567890123456789b\" is neither defaults nor overrides",
                "CLUSTER_ADMISSION_POLICY       | k   | a23456789012345678901234567890123456789bc | annotation kubewarden.io/merge-strategy has no effect: \"a23456789012345678901234567890123456789b…\" is neither defaults nor overrides",
                "ADMISSION_POLICY               | a/b | -         | annotation kubewarden.io/policy-key has no effect: \"a/b\" is not a valid key"
            })
    void readsAnnotations(PolicyKind kind, String key, String strategy, String expected) {
        var policy = Samples.sample(kind.type());
        var annotations = new HashMap<String, String>();
        if (key != null) {
            annotations.put(PolicyNames.POLICY_KEY, key);
        }
        if (strategy != null) {
            annotations.put(PolicyNames.MERGE_STRATEGY, strategy);
        }
        policy.getMetadata().setAnnotations(annotations);

        assertThat(text(OptIn.of(policy))).isEqualTo(expected);
    }

    private static String text(OptIn optIn) {
        return optIn.problem()
                .or(() -> optIn.key()
                        .map(key -> key
                                + optIn.strategy()
                                        .map(strategy -> " " + strategy)
                                        .orElse("")))
                .orElse("none");
    }
}
