package io.portcullis.process.args;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.process.args.ArgumentParser.Result;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The parsing rules and the error texts of Kubewarden's kwctl. */
class ArgumentParserTest {

    private static final Option REQUEST =
            Option.one("request-path", "PATH", "request").withShort('r').required();
    private static final Option SETTINGS = Option.one("settings-json", "JSON", "settings");
    private static final Option MODE = Option.choice("execution-mode", "MODE", List.of("opa", "wasi"), "mode")
            .withShort('e')
            .withDefault("opa");
    private static final Option KEY = Option.many("key", "FILE", "key").withShort('k');
    private static final Option RAW = Option.flag("raw", "raw").withAlias("bare");
    private static final Option GRANTS = Option.words("grants", "PATTERN", word -> word.contains("/"), "grants");
    private static final Option VERBOSE = Option.flag("verbose", "more").withShort('v');
    private static final Option NO_COLOR = Option.flag("no-color", "plain");
    private static final List<Option> GLOBALS =
            List.of(Option.flag("help", "help").withShort('h'), NO_COLOR, VERBOSE);
    private static final CommandSpec SPEC = CommandSpec.of("kwctl run", "Run")
            .with(REQUEST, SETTINGS, MODE, KEY, RAW, GRANTS)
            .exclusive(SETTINGS, MODE)
            .taking(Positional.one("uri", "policy"));

    private static ParsedArguments parse(String... words) {
        return ((Result.Invocation) ArgumentParser.parse(SPEC, GLOBALS, List.of(words))).arguments();
    }

    @Test
    void takesOptionsAndPositionalsInAnyOrder() {
        assertThat(parse("-r", "a", "p").first()).isEqualTo("p");
        assertThat(parse("p", "-r", "a").required(REQUEST)).isEqualTo("a");
        assertThat(parse("--raw", "p", "--request-path=a").has(RAW)).isTrue();
    }

    @Test
    void takesShortValuesAttachedOrApart() {
        assertThat(parse("-ra", "p").required(REQUEST)).isEqualTo("a");
        assertThat(parse("-r=a", "p").required(REQUEST)).isEqualTo("a");
        assertThat(parse("-r", "-", "p").required(REQUEST)).isEqualTo("-");
    }

    @Test
    void passesValuesUnchanged() {
        assertThat(parse("-r", "a", "p", "--settings-json", "{\"a\": \"'@x\"}").value(SETTINGS))
                .contains("{\"a\": \"'@x\"}");
        assertThat(parse("-r", "a", "p", "--settings-json", "").value(SETTINGS)).contains("");
        assertThat(parse("-r", "a", "p", "--settings-json", "-1").value(SETTINGS))
                .contains("-1");
    }

    @Test
    void endsOptionsAtTwoDashes() {
        assertThat(parse("-r", "a", "--", "--raw").first()).isEqualTo("--raw");
    }

    @Test
    void understandsFlagsWithAnExplicitValueAndByTheirAlias() {
        assertThat(parse("-r", "a", "p", "--raw=true").has(RAW)).isTrue();
        assertThat(parse("-r", "a", "p", "--raw=false").has(RAW)).isFalse();
        assertThat(parse("-r", "a", "p", "--bare").has(RAW)).isTrue();
    }

    @Test
    void collectsRepeatedOptions() {
        assertThat(parse("-r", "a", "p", "-k", "1", "--key", "2").values(KEY)).containsExactly("1", "2");
    }

    @Test
    void readsWordListsGreedilyByCommaAndByRepetition() {
        assertThat(parse("--grants", "oci/*", "net/*", "p", "-r", "a").values(GRANTS))
                .containsExactly("oci/*", "net/*");
        assertThat(parse("--grants", "oci/*,net/*", "-r", "a", "p").values(GRANTS))
                .containsExactly("oci/*", "net/*");
        assertThat(parse("--grants=oci/*", "--grants", "net/*", "-r", "a", "p").values(GRANTS))
                .containsExactly("oci/*", "net/*");
        assertThat(parse("--grants", "-r", "a", "p").has(GRANTS)).isTrue();
        assertThat(parse("-r", "a", "p", "--grants").values(GRANTS)).isEmpty();
    }

    @Test
    void takesTheValueOfASwitchAttachedOrApartOrNotAtAll() {
        var on = Option.onOff("metrics", "metrics").withShort('m');
        var spec = CommandSpec.of("server", "Serve").with(on, KEY);

        assertThat(valuesOf(on, spec, "--metrics")).containsExactly("true");
        assertThat(valuesOf(on, spec, "--metrics=off", "-m", "no")).containsExactly("off", "no");
        assertThat(valuesOf(on, spec, "-m", "-k", "1")).containsExactly("true");
    }

    private static List<String> valuesOf(Option option, CommandSpec spec, String... words) {
        return ((Result.Invocation) ArgumentParser.parse(spec, GLOBALS, List.of(words)))
                .arguments()
                .values(option);
    }

    @Test
    void returnsTheDefaultValueOfAbsentOptions() {
        assertThat(parse("-r", "a", "p").orDefault(MODE)).isEqualTo("opa");
    }

    @Test
    void takesGlobalFlagsAnywhere() {
        var result = ArgumentParser.parse(SPEC, GLOBALS, List.of("p", "-v", "-r", "a", "--no-color", "-v"));

        assertThat(result)
                .isInstanceOfSatisfying(
                        Result.Invocation.class,
                        invocation -> assertThat(List.of(NO_COLOR, VERBOSE)).allMatch(invocation.arguments()::has));
    }

    @Test
    void letsACommandsOwnOptionReplaceAGlobalOne() {
        var version = Option.one("version", "V", "version").withShort('v');

        var result = ArgumentParser.parse(CommandSpec.of("kwctl x", "X").with(version), GLOBALS, List.of("-v", "1.0"));

        assertThat(result)
                .isInstanceOfSatisfying(
                        Result.Invocation.class,
                        invocation -> assertThat(invocation.arguments().value(version))
                                .contains("1.0"));
    }

    @Test
    void handlesHelpBeforeAnyCheck() {
        assertThat(ArgumentParser.parse(SPEC, GLOBALS, List.of("-h"))).isEqualTo(new Result.HelpRequested(false));
        assertThat(ArgumentParser.parse(SPEC, GLOBALS, List.of("p", "--help")))
                .isEqualTo(new Result.HelpRequested(true));
    }

    record Wrong(String name, List<String> words, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Wrong> wrongLines() {
        var usage = "\nUsage: kwctl run [OPTIONS] --request-path <PATH> <uri>\n\nFor more information, try '--help'.\n";
        var more = "\nFor more information, try '--help'.\n";
        return List.of(
                new Wrong(
                        "missing arguments",
                        List.of(),
                        "error: the following required arguments were not provided:\n  --request-path <PATH>\n  <uri>\n"
                                + "\nUsage: kwctl run --request-path <PATH> <uri>\n" + more),
                new Wrong(
                        "unknown option",
                        List.of("--reqest-path", "x"),
                        "error: unexpected argument '--reqest-path' found\n\n"
                                + "  tip: a similar argument exists: '--request-path'\n" + usage),
                new Wrong(
                        "unknown option like nothing else",
                        List.of("--zzzzzzz"),
                        "error: unexpected argument '--zzzzzzz' found\n\n"
                                + "  tip: to pass '--zzzzzzz' as a value, use '-- --zzzzzzz'\n" + usage),
                new Wrong(
                        "extra positional",
                        List.of("a", "b", "-r", "x"),
                        "error: unexpected argument 'b' found\n" + usage),
                new Wrong(
                        "bad choice",
                        List.of("-e", "opaa", "-r", "x", "p"),
                        "error: invalid value 'opaa' for '--execution-mode <MODE>'\n  [possible values: opa, wasi]\n\n"
                                + "  tip: a similar value exists: 'opa'\n" + more),
                new Wrong(
                        "missing value",
                        List.of("p", "-r"),
                        "error: a value is required for '--request-path <PATH>' but none was supplied\n" + more),
                new Wrong(
                        "option where a value is due",
                        List.of("-e", "--raw"),
                        "error: a value is required for '--execution-mode <MODE>' but none was supplied\n"
                                + "  [possible values: opa, wasi]\n" + more),
                new Wrong(
                        "repeated",
                        List.of("-r", "a", "-r", "b", "p"),
                        "error: the argument '--request-path <PATH>' cannot be used multiple times\n" + usage),
                new Wrong(
                        "conflict",
                        List.of("-r", "a", "p", "-e", "opa", "--settings-json", "{}"),
                        "error: the argument '--settings-json <JSON>' cannot be used with '--execution-mode <MODE>'\n"
                                + usage),
                new Wrong(
                        "flag with a senseless value",
                        List.of("--raw=maybe"),
                        "error: invalid value 'maybe' for '--raw'\n  [possible values: true, false]\n" + more));
    }

    @ParameterizedTest
    @MethodSource("wrongLines")
    void reportsInvalidCommandLines(Wrong line) {
        assertThatThrownBy(() -> ArgumentParser.parse(SPEC, GLOBALS, line.words()))
                .isInstanceOf(ArgumentException.class)
                .hasMessage(line.message());
    }
}
