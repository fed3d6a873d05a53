package io.portcullis.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FuzzPlanTest {

    @Test
    void fuzzesAllTargetsForOneMinuteByDefault() {
        var plan = FuzzRun.Plan.of(List.of());

        assertThat(plan.targets()).isEqualTo(FuzzTargets.ALL);
        assertThat(plan.seconds()).isEqualTo(60);
    }

    @Test
    void fuzzesNamedTargetsForTheGivenTime() {
        var plan = FuzzRun.Plan.of(List.of("--minutes", "10", "Der", "Pem"));

        assertThat(plan.targets()).extracting(FuzzTargets.Target::name).containsExactly("Der", "Pem");
        assertThat(plan.seconds()).isEqualTo(600);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--minutes", "--minutes 0", "--minutes x", "--seconds -1", "Nothing", "--minutes 1 Nothing"})
    void rejectsInvalidArguments(String arguments) {
        assertThat(FuzzRun.Plan.of(List.of(arguments.split(" "))).error()).isPresent();
    }

    @Test
    void hasUniqueTargetNames() {
        assertThat(FuzzTargets.ALL).extracting(FuzzTargets.Target::name).doesNotHaveDuplicates();
    }
}
