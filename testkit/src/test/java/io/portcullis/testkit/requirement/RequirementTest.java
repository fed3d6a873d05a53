package io.portcullis.testkit.requirement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RequirementTest {

    @Test
    void skipsWithTheReasonOnADevelopersMachine() {
        var result = Requirement.from(Map.of()).check(RequirementTest::lookForGo);

        assertThat(result.isDisabled()).isTrue();
        assertThat(result.getReason()).contains("no Go here");
    }

    @Test
    void failsInContinuousIntegration() {
        assertThatThrownBy(() -> Requirement.from(Map.of("CI", "true")).check(RequirementTest::lookForGo))
                .hasMessage("no Go here");
    }

    @Test
    void runsTheTestWhenNothingIsMissing() {
        var result = Requirement.from(Map.of("CI", "true")).check(() -> {});

        assertThat(result.isDisabled()).isFalse();
    }

    private static void lookForGo() {
        throw new IllegalStateException("no Go here");
    }
}
