package io.portcullis.api.condition;

import static io.portcullis.api.condition.ConditionStatus.FALSE;
import static io.portcullis.api.condition.ConditionStatus.TRUE;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransitionsTest {

    private static final Instant THEN = Instant.parse("2026-01-01T00:00:00.5Z");
    private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");

    @Test
    void changesTheTimeOnlyWhenTheStatusChanges() {
        var before = Transitions.stamp(List.of(ready(0, true), ready(1, false)), List.of(), THEN);

        var after = Transitions.stamp(List.of(ready(0, true), ready(1, true), ready(2, true)), before, NOW);

        assertThat(after)
                .extracting(Condition::lastTransitionTime)
                .containsExactly("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z");
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    void everyReasonHasAParsableWireName(Reason reason) {
        assertThat(reason.wireName()).matches("[A-Z][A-Za-z]+");
        assertThat(Reason.parse(reason.wireName())).contains(reason);
        assertThat(reason.fault() == Reason.Fault.NONE || reason.status() == FALSE)
                .isTrue();
    }

    private static Condition ready(int replica, boolean ready) {
        return Condition.ofReplica(
                1,
                replica,
                ready ? TRUE : FALSE,
                ready ? Reason.POLICY_READY : Reason.LOAD_ERROR,
                ready ? Messages.POLICY_READY : "broken");
    }
}
