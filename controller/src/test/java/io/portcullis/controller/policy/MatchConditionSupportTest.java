package io.portcullis.controller.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MatchConditionSupportTest {

    private static String document(String property) {
        return """
                {"components": {"schemas": {
                  "io.k8s.api.admissionregistration.v1.MatchCondition": {"properties": {"name": {}}},
                  "io.k8s.api.admissionregistration.v1.ValidatingWebhook": {"properties": {"name": {}, "%s": {}}}}}}""".formatted(property);
    }

    @Test
    void anApiServerThatDescribesThemKnowsThem() {
        assertThat(new MatchConditionSupport(() -> document("matchConditions")).getAsBoolean())
                .isTrue();
        assertThat(new MatchConditionSupport(() -> document("matchPolicy")).getAsBoolean())
                .isFalse();
        assertThat(new MatchConditionSupport(() -> null).getAsBoolean()).isFalse();
    }

    @Test
    void anUnreadableAnswerIsNoAnswerAndAGoodOneIsKept() {
        var asked = new AtomicInteger();
        var support =
                new MatchConditionSupport(() -> asked.getAndIncrement() == 0 ? "<html>" : document("matchConditions"));

        assertThatThrownBy(support::getAsBoolean).isInstanceOf(IllegalStateException.class);
        assertThat(support.getAsBoolean()).isTrue();
        assertThat(support.getAsBoolean()).isTrue();
        assertThat(asked).hasValue(2);
    }
}
