package io.portcullis.evaluator.rego.builtin.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class BuiltinVectorsTest {

    @Test
    void everyBuiltinReturnsTheResultOfOpa() {
        var wrong = new ArrayList<String>();

        for (var vector : BuiltinVector.all()) {
            var actual = vector.actual();
            if (!vector.agrees(actual)) {
                wrong.add("%s%s%n     opa: %s%n    ours: %s"
                        .formatted(vector.name(), vector.operands(), vector.expected(), actual));
            }
        }

        assertThat(wrong).as(() -> String.join("\n", wrong)).isEmpty();
    }
}
