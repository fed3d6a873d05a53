package io.portcullis.evaluator.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.evaluator.group.MemberWarnings.Result;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Texts of members come from hostile modules. */
class MemberWarningsTest {

    private static List<String> rejected(String message) {
        return MemberWarnings.of(List.of(new Result("a", false, Optional.of(message))));
    }

    @Test
    void namesTheMemberAndItsResult() {
        assertThat(MemberWarnings.of(List.of(
                        new Result("a", true, Optional.of("ignored")),
                        new Result("b", false, Optional.of("no latest tag")),
                        new Result("c", false, Optional.empty()),
                        new Result("d", false, Optional.of(" ")))))
                .containsExactly("a was accepted", "b was rejected: no latest tag", "c was rejected", "d was rejected");
    }

    @Test
    void replacesControlCharactersBecauseApiServersDropThem() {
        assertThat(rejected("one\r\ntwo\u0000three\u0085")).containsExactly("a was rejected: one  two three ");
    }

    @Test
    void boundsTheLengthOfEachWarning() {
        assertThat(rejected("x".repeat(240))).containsExactly("a was rejected: " + "x".repeat(240));
        assertThat(rejected("x".repeat(8 << 20))).containsExactly("a was rejected: " + "x".repeat(239) + "…");
    }

    @Test
    void neverSplitsACharacter() {
        assertThat(rejected("x".repeat(238) + "\uD83D\uDE00 and more"))
                .containsExactly("a was rejected: " + "x".repeat(238) + "…");
    }

    @Test
    void boundsTheNumberOfWarnings() {
        var results = IntStream.range(0, 18)
                .mapToObj(i -> new Result("m" + i, true, Optional.empty()))
                .toList();

        var warnings = MemberWarnings.of(results);

        assertThat(warnings).hasSize(16).endsWith("m14 was accepted", "results of 3 more members are not shown");
        assertThat(MemberWarnings.of(results.subList(0, 15))).hasSize(15).endsWith("m14 was accepted");
    }
}
