package io.portcullis.audit.scan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WeightTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true                      | 32",
                "null                      | 32",
                "1.5                       | 32",
                "['ab']                    | 206",
                "{}                        | 128",
                "[]                        | 128",
                "[{}, {}]                  | 400",
                "{'ab': 1}                 | 230",
                "{'a': {'b': ['c']}}       | 593",
            })
    void countsEveryNode(String json, long weight) throws Exception {
        assertThat(Weight.of(new JsonMapper().readTree(json.replace('\'', '"'))))
                .isEqualTo(weight);
    }

    @Test
    void estimatesSmallNodesHigherThanTextOfTheSameLength() {
        var text = JsonNodeFactory.instance.textNode("x".repeat(1 << 20));
        var parts = JsonNodeFactory.instance.arrayNode();
        for (var i = 0; i < 1 << 18; i++) {
            parts.addObject(); // "{}," has a quarter of the characters
        }

        assertThat(Weight.of(text)).isGreaterThan(2 << 20);
        assertThat(Weight.of(parts)).isGreaterThan(Weight.of(text));
    }
}
