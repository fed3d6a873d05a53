package io.portcullis.evaluator.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonScannerTest {

    @Test
    void rejectsNonAsciiBytesAfterTheValue() {
        for (int next = 0x80; next < 0x100; next++) {
            var document = new byte[] {'1', (byte) next, '2'};
            assertThatThrownBy(() -> {
                        var scanner = new JsonScanner(document);
                        scanner.skipValue();
                        scanner.finish();
                    })
                    .isInstanceOf(JsonException.class)
                    .hasMessage("trailing characters at line 1 column 2");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "true",
                " false ",
                "0",
                "-0",
                "12",
                "-1.5e+10",
                "1E9",
                "\"\"",
                "\"aä€😀\\u00e4\\ud83d\\ude00\\n\"",
                "[]",
                "[ ]",
                "{}",
                "{ }",
                "[1, [2, {\"a\" : [ ] } ] ]",
                "{\"a\":1,\"b\":{\"c\":null}}\n"
            })
    void skipsValidJson(String document) {
        var scanner = scanner(document);

        scanner.skipValue();

        scanner.finish();
        assertThat(scanner.position()).isEqualTo(document.getBytes(StandardCharsets.UTF_8).length);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "                |EOF while parsing a value at line 1 column 0",
                "{               |EOF while parsing an object at line 1 column 1",
                "[               |EOF while parsing a list at line 1 column 1",
                "[1              |[0]: EOF while parsing a list at line 1 column 2",
                "[1,             |[0]: EOF while parsing a value at line 1 column 3",
                "\"abc           |EOF while parsing a string at line 1 column 4",
                "{\"a\"          |EOF while parsing an object at line 1 column 4",
                "{\"a\":         |a: EOF while parsing a value at line 1 column 5",
                "{\"a\" 1}       |expected `:` at line 1 column 6",
                "{\"a\":1 \"b\"} |a: expected `,` or `}` at line 1 column 8",
                "{\"a\":[1 2]}   |a[0]: expected `,` or `]` at line 1 column 9",
                "{\"a\":{\"b\":[0,{\"c\":x}]}} |a.b[1].c: expected value at line 1 column 19",
                "{1:2}           |key must be a string at line 1 column 2",
                "{\"a\":1,}      |a: trailing comma at line 1 column 8",
                "[1,]            |[0]: trailing comma at line 1 column 4",
                "nul             |EOF while parsing a value at line 1 column 3",
                "nuxx            |expected ident at line 1 column 3",
                "01              |invalid number at line 1 column 2",
                "1.              |EOF while parsing a value at line 1 column 2",
                "1.x             |invalid number at line 1 column 3",
                "-               |EOF while parsing a value at line 1 column 1",
                "\"\\x\"         |invalid escape at line 1 column 3",
                "\"\\ud800\"     |lone leading surrogate in hex escape at line 1 column 8",
                "1 2             |trailing characters at line 1 column 3",
                "+1              |expected value at line 1 column 1",
            })
    void reportsProblemAndPosition(String document, String problem) {
        assertThatThrownBy(() -> scan(document == null ? "" : document))
                .isInstanceOf(JsonException.class)
                .hasMessage(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "\"plain\"              |plain",
                "\"a\\\"b\\\\c\\/\"      |a\"b\\c/",
                "\"\\u00e4\\ud83d\\ude00\"  |ä😀",
                "\"ä😀\"               |ä😀",
            })
    void readsStrings(String document, String text) {
        assertThat(scanner(document).readString()).isEqualTo(text);
    }

    @Test
    void countsLines() {
        assertThatThrownBy(() -> scan("{\n \"a\": 1,\n \"b\": ?\n}"))
                .hasMessage("b: expected value at line 3 column 7");
    }

    @Test
    void rejectsControlCharactersInStrings() {
        assertThatThrownBy(() -> scan("\"a\nb\""))
                .hasMessage("control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"22ff22", "22c0af22", "22e08080", "22eda08022", "22f4908080", "22c322", "22c3"})
    void rejectsInvalidUtf8(String hex) {
        var bytes = java.util.HexFormat.of().parseHex(hex);

        assertThatThrownBy(() -> new JsonScanner(bytes).skipValue()).hasMessageContaining("invalid unicode code point");
    }

    @Test
    void rejectsNestingBeyondTheLimit() {
        scan("[".repeat(127) + "]".repeat(127));

        assertThatThrownBy(() -> scan("[".repeat(128) + "]".repeat(128)))
                .hasMessageEndingWith("recursion limit exceeded at line 1 column 128");
        assertThatThrownBy(() -> scan("{\"a\":".repeat(100_000))).hasMessageContaining("recursion limit exceeded");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "\"hay\" |invalid type: string \"hay\", expected a boolean at line 1 column 5",
                "1       |invalid type: integer `1`, expected a boolean at line 1 column 1",
                "1.5     |invalid type: floating point `1.5`, expected a boolean at line 1 column 3",
                "null    |invalid type: null, expected a boolean at line 1 column 4",
                "[true]  |invalid type: sequence, expected a boolean at line 1 column 0",
                "{}      |invalid type: map, expected a boolean at line 1 column 0",
            })
    void reportsFoundAndExpectedType(String document, String problem) {
        assertThatThrownBy(scanner(document)::readBoolean)
                .hasMessage(problem)
                .extracting(e -> ((JsonException) e).kind())
                .isEqualTo(JsonException.Kind.SHAPE);
    }

    @ParameterizedTest
    @CsvSource({"0,0", "65535,65535", "400,400"})
    void readsSmallIntegers(String document, int value) {
        assertThat(scanner(document).readU16()).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"70000", "-1", "1.5", "99999999999999999999", "\"1\"", "null"})
    void rejectsOtherNumbersForSmallIntegers(String document) {
        assertThatThrownBy(scanner(document)::readU16).hasMessageContaining("expected u16");
    }

    @Test
    void agreesWithAnotherParserOnMangledDocuments() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        var mapper = JsonMapper.builder()
                .enable(com.fasterxml.jackson.databind.DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();

        for (int i = 0; i < 20_000; i++) {
            var document = mangled("{\"a\":[1,2.5,-3e2,true,null],\"b\":{\"c\":\"x\\n\\u00e4\"},\"d\":\"\"}", random);
            assertThat(accepts(document)).as("seed %d: %s", seed, document).isEqualTo(isJson(mapper, document));
        }
    }

    private static String mangled(String document, RandomGenerator random) {
        var text = new StringBuilder(document);
        for (int edits = random.nextInt(4); edits > 0; edits--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(3)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.insert(at, "{}[],:\"\\0123.e-tn ".charAt(random.nextInt(18)));
                default -> text.setCharAt(at, "{}[],:\"\\0123.e-tn ".charAt(random.nextInt(18)));
            }
        }
        return text.toString();
    }

    private static boolean accepts(String document) {
        try {
            scan(document);
            return true;
        } catch (JsonException e) {
            return false;
        }
    }

    private static boolean isJson(JsonMapper mapper, String document) throws Exception {
        try {
            return !mapper.readTree(document).isMissingNode();
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            return false;
        }
    }

    private static void scan(String document) {
        var scanner = scanner(document);
        scanner.skipValue();
        scanner.finish();
    }

    private static JsonScanner scanner(String document) {
        return new JsonScanner(document.getBytes(StandardCharsets.UTF_8));
    }
}
