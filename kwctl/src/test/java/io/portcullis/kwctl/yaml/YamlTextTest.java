package io.portcullis.kwctl.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import io.portcullis.api.yaml.YamlDocuments;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlTextTest {

    private static JsonNode json(String text) throws JsonProcessingException {
        return new JsonMapper().readTree(text.replace('\'', '"'));
    }

    @Test
    void writesBlockStyleWithListsAtTheLevelOfTheirKey() throws Exception {
        assertThat(YamlText.of(json("{'a':{'b':[{'c':1,'d':null},'x'],'e':{},'f':[]},'g':[[1,2]]}")))
                .isEqualTo("""
                        a:
                          b:
                          - c: 1
                            d: null
                          - x
                          e: {}
                          f: []
                        g:
                        - - 1
                          - 2
                        """);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "plain words|plain words",
                "true|'true'",
                "no|'no'",
                "12|'12'",
                "1e3|'1e3'",
                "*|'*'",
                "it's|it's",
                "a: b|'a: b'",
                "a #b|'a #b'",
                "- x|'- x'",
                "~~|''",
                "2026-01-01|'2026-01-01'",
                "#a|'#a'",
                "kind!|kind!",
                "@a|'@a'",
                "-x|-x",
                "null|'null'",
                "a:b|a:b",
                "x:|'x:'",
                "0x1f|'0x1f'"
            })
    void quotesOnlyAmbiguousText(String text, String expected) {
        assertThat(YamlText.of(new TextNode(text))).isEqualTo(expected + "\n");
    }

    @Test
    void writesMultiLineTextAsALiteralBlock() throws Exception {
        assertThat(YamlText.of(json("{'a':'x\\ny\\n','b':'x\\n\\n y'}"))).isEqualTo("""
                        a: |
                          x
                          y
                        b: |-
                          x

                           y
                        """);
    }

    /** Every written value must be read back as the same value. */
    @Test
    void readsBackWhatItWrites() {
        var seed = new Random().nextLong();
        var random = new Random(seed);
        var alphabet = " \n\t:-#'\"\\{}[]!&*%@`|>,?=ab01\u00e9\u0001~";
        for (var i = 0; i < 3000; i++) {
            var text = new StringBuilder();
            for (var length = random.nextInt(8); length > 0; length--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            var tree = JsonNodeFactory.instance.objectNode();
            tree.putObject("k").putArray("l").add(text.toString()).addObject().put(text + "x", text.toString());

            assertThat(YamlDocuments.parse(YamlText.of(tree)))
                    .as("seed %d, text %s, yaml %s", seed, text, YamlText.of(tree))
                    .isEqualTo(tree);
        }
    }
}
