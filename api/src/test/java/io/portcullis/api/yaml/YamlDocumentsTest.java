package io.portcullis.api.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlDocumentsTest {

    @ParameterizedTest
    @CsvSource({
        "yes,\"yes\"",
        "on,\"on\"",
        "1:30,\"1:30\"",
        "010,\"010\"",
        "0o17,15",
        "1e3,1000.0",
        "!!str 1,\"1\"",
        "1_000,\"1_000\"",
        "2026-11-16,\"2026-11-16\"",
        "0x1f,31",
        "true,true",
        "~,null",
        "1.50,1.5",
        "'\"1\"',\"1\"",
        "18446744073709551616,18446744073709551616"
    })
    void followsYaml12(String scalar, String json) {
        assertThat(YamlDocuments.parse("a: " + scalar).get("a")).hasToString(json);
    }

    @Test
    void skipsEmptyDocuments() {
        assertThat(YamlDocuments.parseAll("---\na: 1\n---\n# nothing\n---\nb: 2\n"))
                .hasSize(2);
        assertThat(YamlDocuments.parse("").isNull()).isTrue();
    }

    @Test
    void reportsTheFirstLineOfDocuments() {
        assertThat(YamlDocuments.locateAll("# first\n---\na: {b: 1}\n---\n\nc: 2\n"))
                .extracting(YamlDocument::line)
                .containsExactly(3, 6);
        assertThat(YamlDocuments.locateAll("a: {b: 1}").getFirst().places())
                .containsEntry("/a/b", " (line 1, column 8)");
    }

    @Test
    void rejectsYamlThatJsonCannotExpress() {
        assertThatThrownBy(() -> YamlDocuments.parse("? [a]\n: 1")).hasMessageContaining("keys must be plain text");
        assertThatThrownBy(() -> YamlDocuments.parse("a: &a {b: 1}\nc: {<<: *a}"))
                .hasMessageContaining("merge keys are not supported");
        assertThatThrownBy(() -> YamlDocuments.parse("a: &a [*a]")).isInstanceOf(YamlException.class);
        assertThat(YamlDocuments.parse("\"<<\": 1")).hasToString("{\"<<\":1}");
    }

    @Test
    void readsJson() {
        assertThat(YamlDocuments.parse("{\"a\": [1, {\"b\": null}]}")).hasToString("{\"a\":[1,{\"b\":null}]}");
    }

    @Test
    void reportsThePositionOfAnError() {
        assertThatThrownBy(() -> YamlDocuments.parse("a: 1\nb: [")).hasMessageContaining("line 2");
        assertThatThrownBy(() -> YamlDocuments.parse("a: 1\na: 2"))
                .hasMessageContaining("is given twice")
                .hasMessageContaining("line 2");
    }

    @Test
    void rejectsATagThatEndsWithAnEscapedSpace() {
        assertThatThrownBy(() -> YamlDocuments.parse("a: !x%20 1"))
                .isInstanceOf(YamlException.class)
                .hasMessageContaining("tag is not valid");
    }

    @Test
    void rejectsAliasesThatExpandTooMuch() {
        var bomb = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for (var i = 1; i < 9; i++) {
            bomb.append("a%d: &a%d [*a%2$d]\n"
                    .formatted(i, i)
                    .replaceFirst("\\[.*]", "[" + "*a%d,".formatted(i - 1).repeat(10) + "]"));
        }

        assertThatThrownBy(() -> YamlDocuments.parse(bomb.toString())).isInstanceOf(YamlException.class);
    }

    @Test
    void rejectsDeepNesting() {
        assertThatThrownBy(() -> YamlDocuments.parse("[".repeat(200_000)))
                .isInstanceOf(YamlException.class)
                .hasMessageContaining("nested too deeply");
    }
}
