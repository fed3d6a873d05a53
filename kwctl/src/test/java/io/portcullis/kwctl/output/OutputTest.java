package io.portcullis.kwctl.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutputTest {

    /** Compares with the listing of Kubewarden's kwctl, byte for byte. */
    @Test
    void drawsTheTableOfPolicies() {
        var table = Table.bordered(
                List.of("Policy", "Mutating", "Context aware", "SHA-256", "Size"),
                List.of(List.of("registry://ghcr.io/x:v1", "no", "no", "01690a10f9c3", "1.59 MB")));

        assertThat(table).isEqualTo("""
                        +-------------------------+----------+---------------+--------------+---------+
                        | Policy                  | Mutating | Context aware | SHA-256      | Size    |
                        +-------------------------+----------+---------------+--------------+---------+
                        | registry://ghcr.io/x:v1 | no       | no            | 01690a10f9c3 | 1.59 MB |
                        +-------------------------+----------+---------------+--------------+---------+
                        """);
    }

    @Test
    void measuresStyledTextByItsVisibleWidth() {
        var bold = Style.BOLD.apply("ab", true);

        assertThat(Table.plain(List.of(List.of(bold, "x"), List.of("abcd", "y"))))
                .isEqualTo(bold + "   x \nabcd y \n");
        assertThat(Style.BOLD.apply("ab", false)).isEqualTo("ab");
    }

    @ParameterizedTest
    @CsvSource({"0,0 B", "999,999 B", "1000,1 kB", "1500,1.50 kB", "1590000,1.59 MB", "2000000,2 MB"})
    void writesSizesInDecimalUnits(long bytes, String text) {
        assertThat(ByteSize.of(bytes)).isEqualTo(text);
    }

    @Test
    void drawsProgressWithAndWithoutATotal() {
        assertThat(ProgressBar.line("Pulling x", 500, OptionalLong.of(1000)))
                .isEqualTo("Pulling x [###############---------------] 500 B / 1 kB");
        assertThat(ProgressBar.line("Pulling x", 500, OptionalLong.empty())).isEqualTo("Pulling x 500 B");
    }

    @Test
    void stylesMarkdownOnlyInATerminal() {
        var source = "# Title\n\nUse `kwctl` and **care**\n- item";

        assertThat(Markdown.render(source, false)).isEqualTo(source);
        assertThat(Markdown.render(source, true))
                .contains("Title")
                .doesNotContain("# Title")
                .contains("\u001b[36mkwctl\u001b[0m", "\u001b[1mcare\u001b[0m", "• item");
    }
}
