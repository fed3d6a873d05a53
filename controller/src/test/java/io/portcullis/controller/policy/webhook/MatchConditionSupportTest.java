package io.portcullis.controller.policy.webhook;

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
    void detectsSupportFromTheOpenApiDocument() {
        assertThat(new MatchConditionSupport(() -> document("matchConditions")).getAsBoolean())
                .isTrue();
        assertThat(new MatchConditionSupport(() -> document("matchPolicy")).getAsBoolean())
                .isFalse();
        assertThat(new MatchConditionSupport(() -> null).getAsBoolean()).isFalse();
    }

    @Test
    void retriesAfterAnUnreadableDocumentAndCachesAValidOne() {
        var requests = new AtomicInteger();
        var support = new MatchConditionSupport(
                () -> requests.getAndIncrement() == 0 ? "<html>" : document("matchConditions"));

        assertThatThrownBy(support::getAsBoolean).isInstanceOf(IllegalStateException.class);
        assertThat(support.getAsBoolean()).isTrue();
        assertThat(support.getAsBoolean()).isTrue();
        assertThat(requests).hasValue(2);
    }
}
