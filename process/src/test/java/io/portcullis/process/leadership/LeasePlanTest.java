package io.portcullis.process.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.portcullis.process.leadership.LeasePlan.Step;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LeasePlanTest {

    private static final Duration JUST_NOW = Duration.ZERO;
    private static final Duration LONG = Duration.ofSeconds(15);
    private static final OptionalLong NOT_LEADING = OptionalLong.empty();

    private static Optional<LeaseSpec> held(String holder, int term) {
        var spec = new LeaseSpec();
        spec.setHolderIdentity(holder);
        spec.setLeaseTransitions(term);
        spec.setLeaseDurationSeconds(15);
        return Optional.of(spec);
    }

    static Stream<Arguments> table() {
        return Stream.of(
                Arguments.of("no lease", Optional.empty(), JUST_NOW, NOT_LEADING, 0L, new Step.Create(1)),
                Arguments.of("the lease was deleted", Optional.empty(), JUST_NOW, NOT_LEADING, 8L, new Step.Create(9)),
                Arguments.of("ours", held("me", 3), JUST_NOW, OptionalLong.of(3), 3L, new Step.Renew()),
                Arguments.of("of our dead predecessor", held("me", 3), JUST_NOW, NOT_LEADING, 0L, new Step.Take(4)),
                Arguments.of(
                        "a higher term is stored", held("me", 3), JUST_NOW, OptionalLong.of(3), 6L, new Step.Take(7)),
                Arguments.of("given back", held("", 3), JUST_NOW, NOT_LEADING, 0L, new Step.Take(4)),
                Arguments.of("another's", held("other", 3), Duration.ofSeconds(14), NOT_LEADING, 0L, new Step.Wait()),
                Arguments.of("another's, silent", held("other", 3), LONG, NOT_LEADING, 0L, new Step.Take(4)),
                Arguments.of("taken from us", held("other", 4), JUST_NOW, OptionalLong.of(3), 0L, new Step.Wait()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("table")
    void decides(String name, Optional<LeaseSpec> lease, Duration unchanged, OptionalLong term, long floor, Step step) {
        assertThat(LeasePlan.decide(lease, "me", unchanged, term, floor))
                .as(name)
                .isEqualTo(step);
    }
}
