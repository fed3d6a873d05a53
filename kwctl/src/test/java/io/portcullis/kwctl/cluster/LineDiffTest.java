package io.portcullis.kwctl.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LineDiffTest {

    private static List<String> lines(@Nullable String letters) {
        return letters == null ? List.of() : List.of(letters.split(""));
    }

    @ParameterizedTest
    @CsvSource({
        "abc, abc, @@",
        "abc, axc, ' a|-b|+x| c'",
        "abc, abcd, ' a| b| c|+d'",
        "abc, bc, '-a| b| c'",
        ", a, +a",
        "a, , -a",
        "abcd, acbd, ' a|-b| c|+b| d'",
        "12345a12345, 12345b12345, '@@| 3| 4| 5|-a|+b| 1| 2| 3|@@'",
    })
    void marksTheLinesThatDiffer(@Nullable String before, @Nullable String after, String expected) {
        assertThat(String.join("|", LineDiff.of(lines(before), lines(after)))).isEqualTo(expected);
    }

    @Test
    void showsALargeDifferenceAsOneReplacement() {
        var before = Collections.nCopies(3_000, "x");
        var after = IntStream.range(0, 3_000).mapToObj(Integer::toString).toList();

        var diff = LineDiff.of(before, after);

        assertThat(diff).hasSize(6_000);
        assertThat(diff.getFirst()).isEqualTo("-x");
        assertThat(diff.getLast()).isEqualTo("+2999");
    }
}
