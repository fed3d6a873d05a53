package io.portcullis.evaluator.rego.builtin.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.ValueParser;
import io.portcullis.evaluator.rego.value.ValueWriter;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.TrapException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that no operand keeps a built-in running long after its deadline or makes it fill the heap. The timeout only
 * ends a test that hangs.
 */
@Timeout(120)
class HostileOperandsTest {

    private static final String MANY_A = "a".repeat(1_000_000);

    static Stream<Arguments> calls() {
        return Stream.of(
                arguments("regex.split", List.of(text("(a*)*b|a"), text(MANY_A))),
                arguments("regex.split", List.of(text("(a?){200}a{200}"), text(MANY_A))),
                arguments("regex.find_n", List.of(text("a*b|a"), text(MANY_A), RegoValue.of(-1))),
                arguments("regex.find_n", List.of(text("()".repeat(60) + "a"), text(MANY_A), RegoValue.of(-1))),
                arguments("regex.replace", List.of(text(MANY_A), text("a"), text(MANY_A))),
                arguments("regex.replace", List.of(text(MANY_A), text("(a*)"), text("$1".repeat(100_000)))),
                arguments(
                        "regex.template_match", List.of(text("{(a|aa){1,500}b}"), text(MANY_A), text("{"), text("}"))),
                arguments("regex.globs_match", List.of(text("a*".repeat(100_000)), text("[a-z]*".repeat(100_000)))),
                arguments("regex.globs_match", List.of(text("a*".repeat(900)), text("a*".repeat(900)))),
                arguments("sprintf", List.of(text("%999999d".repeat(1000)), numbers(1000))),
                arguments("sprintf", List.of(text("%.999999f".repeat(1000)), numbers(1000))),
                arguments("sprintf", List.of(text("%[1]v".repeat(100_000)), RegoValue.array(text(MANY_A)))),
                arguments("indexof_n", List.of(text(MANY_A), text("a".repeat(500_000)))),
                arguments("strings.any_prefix_match", List.of(texts("a", 10_000), texts("b", 10_000))),
                arguments("strings.any_suffix_match", List.of(texts("a", 10_000), texts("b", 10_000))),
                arguments("strings.count", List.of(text(MANY_A), text("a".repeat(400_000) + "b"))),
                arguments("strings.split_n", List.of(text(MANY_A), text("a".repeat(400_000) + "b"), RegoValue.of(1))),
                arguments(
                        "strings.render_template",
                        List.of(text("{{.a}}".repeat(100_000)), RegoValue.object(java.util.Map.of("a", text(MANY_A))))),
                arguments("strings.render_template", List.of(text("{{".repeat(500_000)), value("{}"))),
                arguments("json.patch", List.of(value("{\"a\":[1]}"), doublings(60))),
                arguments("graph.reachable_paths", List.of(completeGraph(24), value("[0]"))),
                arguments("numbers.range_step", List.of(RegoValue.of(0), value("1e18"), RegoValue.of(1))),
                arguments("net.cidr_expand", List.of(text("0.0.0.0/0"))),
                arguments("net.cidr_expand", List.of(text("::/0"))),
                arguments("net.cidr_merge", List.of(networks(60_000))),
                arguments("net.cidr_contains_matches", List.of(networks(5_000), networks(5_000))),
                arguments(
                        "semver.compare",
                        List.of(text("1.0.0-" + "9".repeat(900_000)), text("1.0.0-1" + "9".repeat(900_000)))),
                arguments("semver.is_valid", List.of(text("1.0.0-" + "a.".repeat(500_000)))),
                arguments("units.parse", List.of(text("9".repeat(1_000_000)))),
                arguments("units.parse", List.of(text("1e9999999"))),
                arguments("units.parse_bytes", List.of(text("1e99999G"))),
                arguments("yaml.unmarshal", List.of(text(laughs()))),
                arguments("yaml.is_valid", List.of(text(laughs()))),
                arguments("yaml.unmarshal", List.of(text("a: !x%20 1"))),
                arguments("yaml.unmarshal", List.of(text("9".repeat(900_000)))),
                arguments("yaml.marshal", List.of(deep(900, "1,".repeat(100_000) + "1"))),
                arguments(
                        "json.marshal_with_options",
                        List.of(deep(900, "1,1,1"), RegoValue.object(java.util.Map.of("indent", text(MANY_A))))),
                arguments(
                        "json.marshal_with_options",
                        List.of(deep(900, "1,".repeat(100_000) + "1"), value("{\"pretty\":true}"))),
                arguments("time.parse_duration_ns", List.of(text("1".repeat(1_000_000)))),
                arguments("time.parse_duration_ns", List.of(text("1".repeat(4_000)))),
                arguments("json.match_schema", List.of(value("{\"a\":1}"), exponentialSchema())),
                arguments("json.match_schema", List.of(numbers(20_000), enumOf(20_000))),
                arguments("json.match_schema", List.of(RegoValue.array(text(MANY_A)), patternSchema())),
                arguments("json.verify_schema", List.of(enumOf(50_000))),
                arguments("object.subset", List.of(ones(200_000), ones(100_000))),
                arguments("io.jwt.verify_rs256", List.of(text("a.b.c"), text(hugeKey()))),
                arguments(
                        "crypto.x509.parse_and_verify_certificates_with_options",
                        List.of(
                                text("x"),
                                RegoValue.object(java.util.Map.of("DNSName", text("\"".repeat(500_000) + "x\"x"))))));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void endsWithAResultOrARejection(String name, List<RegoValue> operands) {
        var scope = scope(Duration.ofMillis(500));
        try {
            var result = Builtins.named(name).orElseThrow().call(operands, scope);
            assertThat(ValueWriter.rego(result)).isNotEmpty();
        } catch (BuiltinException | TrapException | DeadlineExceededException expected) {
            assertThat(expected).hasMessageNotContaining("host function failed");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "((a{1000}){1000}){1000}",
                "(((((a{20}){20}){20}){20}){20}",
                "((((((((((a{2}){2}){2}){2}){2}){2}){2}){2}){2}){2}){1000}",
                "(?i:[a-z]{500}){500}",
                "(?P<n>\\pL{999}){999}",
                "([[:alpha:]]{1,999}|b{1,999}){1,99}",
            })
    void rejectsExpressionsThatCompileToMillionsOfInstructions(String regex) {
        var operand = List.<RegoValue>of(text(regex));
        assertThatExceptionOfType(TrapException.class)
                .isThrownBy(() ->
                        Builtins.named("regex.is_valid").orElseThrow().call(operand, scope(Duration.ofSeconds(10))))
                .withMessageContaining("16384");
    }

    @Test
    void rejectsManySmallRepetitionsInALongExpression() {
        var operand = List.<RegoValue>of(text("(x{1000})".repeat(10_000)));
        assertThatExceptionOfType(TrapException.class)
                .isThrownBy(() ->
                        Builtins.named("regex.is_valid").orElseThrow().call(operand, scope(Duration.ofSeconds(10))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\\.)*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
                "[\\p{L}\\p{N}]{1,253}",
                "\\Q(a{1000}){1000}\\E",
                "[({1000}]{3}",
                "(a|b|c){1,100}x{5,}y{,5}",
                "\\{1000\\}{10}",
            })
    void acceptsTypicalExpressions(String regex) {
        assertThat(Builtins.named("regex.is_valid")
                        .orElseThrow()
                        .call(List.of(text(regex)), scope(Duration.ofSeconds(10))))
                .isEqualTo(RegoValue.of(true));
    }

    @Test
    void everyBuiltinStopsAtItsDeadline() {
        for (var name : Builtins.names()) {
            assertThatExceptionOfType(DeadlineExceededException.class)
                    .as(name)
                    .isThrownBy(() -> Builtins.named(name).orElseThrow().call(List.of(), scope(Duration.ZERO)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e1000000000", "1e-1000000000", "1e4097"})
    void rejectsNumbersWhoseDigitsWouldFillTheHeap(String number) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> ValueParser.parse(number))
                .withMessageContaining("4096");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> ValueParser.parse("1".repeat(4_097)));
    }

    private static EvaluationScope scope(Duration time) {
        return new EvaluationScope(0, new Random(0), Deadline.after(time), _ -> {});
    }

    private static RegoValue text(String text) {
        return RegoValue.of(text);
    }

    private static RegoValue value(String text) {
        return ValueParser.parse(text);
    }

    private static RegoValue texts(String prefix, int count) {
        return RegoValue.strings(
                IntStream.range(0, count).mapToObj(i -> prefix + i).toList());
    }

    private static RegoValue numbers(int count) {
        return RegoValue.array(IntStream.range(0, count).mapToObj(RegoValue::of).toList());
    }

    private static RegoValue ones(int count) {
        var items = new ArrayList<RegoValue>(java.util.Collections.nCopies(count, RegoValue.of(1)));
        items.set(count - 1, RegoValue.of(2));
        return RegoValue.array(items);
    }

    private static RegoValue networks(int count) {
        return RegoValue.strings(IntStream.range(0, count)
                .mapToObj(i -> "10.%d.%d.0/24".formatted(i / 256 % 256, i % 256))
                .toList());
    }

    private static RegoValue doublings(int count) {
        return value(IntStream.range(0, count)
                .mapToObj(_ -> "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/-\"}")
                .collect(Collectors.joining(",", "[", "]")));
    }

    private static RegoValue completeGraph(int nodes) {
        var fields = new TreeMap<RegoValue, RegoValue>();
        for (int node = 0; node < nodes; node++) {
            fields.put(RegoValue.of(node), numbers(nodes));
        }
        return RegoValue.object(fields);
    }

    private static String laughs() {
        var yaml = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for (int level = 1; level < 20; level++) {
            yaml.append("a%d: &a%d [%s]\n".formatted(level, level, ("*a" + (level - 1) + ",").repeat(9) + "x"));
        }
        return yaml.toString();
    }

    private static RegoValue deep(int depth, String inner) {
        return value("[".repeat(depth) + inner + "]".repeat(depth));
    }

    private static RegoValue exponentialSchema() {
        var schema = new StringBuilder("{\"definitions\":{");
        for (int level = 0; level < 40; level++) {
            schema.append("\"d%d\":{\"allOf\":[{\"$ref\":\"#/definitions/d%d\"},{\"$ref\":\"#/definitions/d%d\"}]},"
                    .formatted(level, level + 1, level + 1));
        }
        return value(schema.append("\"d40\":{\"type\":\"object\"}},\"$ref\":\"#/definitions/d0\"}")
                .toString());
    }

    private static RegoValue enumOf(int count) {
        var items = IntStream.range(0, count).mapToObj(i -> "\"e" + i + "\"").collect(Collectors.joining(","));
        return value("{\"items\":{\"enum\":[" + items + "]}}");
    }

    private static RegoValue patternSchema() {
        return value("{\"items\":{\"pattern\":\"(a|aa){1,500}b\"}}");
    }

    private static String hugeKey() {
        return "{\"kty\":\"RSA\",\"e\":\"AQAB\",\"n\":\"" + "_".repeat(600_000) + "\"}";
    }
}
