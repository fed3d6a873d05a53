package io.portcullis.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.core.lifecycle.TransitionEvents.EventDraft;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransitionEventsTest {

    /** Returns a status in which generation 1 is enforced. */
    private static PolicyStatus status(long latest, Condition... conditions) {
        return new PolicyStatus(
                latest == 1 ? PolicyState.ACTIVE : PolicyState.PENDING,
                latest == 1 ? Phase.ACTIVE : Phase.UPDATING,
                "protect",
                latest,
                1,
                "default",
                List.of(conditions),
                List.of(),
                List.of());
    }

    private static final Condition NOT_ACCEPTED = Condition.ofGeneration(
            ConditionType.VERIFIED, 1, ConditionStatus.FALSE, Reason.SIGNATURE_NOT_ACCEPTED, "why");

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void warnsOnceWhenTheSignatureOfAnEnforcedGenerationIsNotAccepted(long latest) {
        var after = status(latest, NOT_ACCEPTED);

        assertThat(TransitionEvents.between(status(latest), after))
                .containsExactly(new EventDraft(true, "SignatureNotAccepted", "generation 1: why"));
        assertThat(TransitionEvents.between(after, after)).isEmpty();
    }

    @Test
    void createsNoEventWhenTheSignatureIsAcceptedAgain() {
        assertThat(TransitionEvents.between(status(1, NOT_ACCEPTED), status(1))).isEmpty();
    }
}
