package io.portcullis.fuzz;

import io.portcullis.fuzz.FuzzTargets.Target;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Fuzzes targets one after the other, each in its own process, for {@code ./portcullis fuzz}. Inputs that reach new code are
 * stored in the work directory and used by the next run. Findings are stored there too.
 */
final class FuzzRun {

    private static final String USAGE = """
            Usage: ./portcullis fuzz [--seconds N | --minutes N] [--list] [TARGET…]

              --minutes N   how long to fuzz each target (1)
              --seconds N   the same, in seconds
              --list        print the names of the targets and stop

            Without a TARGET all of them are fuzzed. Exit code 0: no finding. 1: a finding; its reproducer is printed. 2: usage.
            To fix a finding, copy the reproducer to fuzz/src/test/resources/corpus/TARGET/ and run ./portcullis test fuzz.
            """;

    private static final int SECONDS_PER_MINUTE = 60;
    /** An input that takes longer is a finding. The first input also loads classes, which is slow on a busy machine. */
    private static final int INPUT_SECONDS = 120;

    private static final int MAX_INPUT_BYTES = 16 << 10;

    /** Bug detectors of Jazzer, all disabled. The targets check invariants instead, and a run starts faster. */
    private static final String DETECTORS = Stream.of(
                    "BigDecimal",
                    "ClojureLangHooks",
                    "Deserialization",
                    "ExpressionLanguageInjection",
                    "FilePathTraversal",
                    "LdapInjection",
                    "NamingContextLookup",
                    "OsCommandInjection",
                    "ReflectiveCall",
                    "RegexInjection",
                    "RegexRoadblocks",
                    "ScriptEngineInjection",
                    "ServerSideRequestForgery",
                    "SqlInjection",
                    "TemplateInjection",
                    "UnsafeSanitizer",
                    "XPathInjection",
                    "XmlParserSsrfGuidance")
            .map(name -> "com.code_intelligence.jazzer.sanitizers." + name)
            .collect(Collectors.joining(":"));

    private final Path work;
    private final Path corpus;
    private final PrintStream out;

    private FuzzRun(Path work, Path corpus, PrintStream out) {
        this.work = work;
        this.corpus = corpus;
        this.out = out;
    }

    /**
     * The parsed command line.
     *
     * @param error why the command line is invalid
     */
    record Plan(List<Target> targets, int seconds, boolean lists, Optional<String> error) {

        static Plan of(List<String> arguments) {
            var targets = new ArrayList<Target>();
            int seconds = SECONDS_PER_MINUTE;
            boolean lists = false;
            for (int at = 0; at < arguments.size(); at++) {
                var argument = arguments.get(at);
                switch (argument) {
                    case "--list" -> lists = true;
                    case "--minutes", "--seconds" -> {
                        at++;
                        var number = at < arguments.size() ? arguments.get(at) : "";
                        if (!number.matches("[1-9][0-9]{0,4}")) {
                            return failed(argument + " needs a whole number from 1 to 99999");
                        }
                        seconds = Integer.parseInt(number) * (argument.equals("--minutes") ? SECONDS_PER_MINUTE : 1);
                    }
                    default -> {
                        var target = FuzzTargets.named(argument);
                        if (target.isEmpty()) {
                            return failed("there is no target " + argument + "; --list prints all");
                        }
                        targets.add(target.get());
                    }
                }
            }
            return new Plan(targets.isEmpty() ? FuzzTargets.ALL : targets, seconds, lists, Optional.empty());
        }

        private static Plan failed(String why) {
            return new Plan(List.of(), 0, false, Optional.of(why));
        }
    }

    /** @param arguments the work directory, the corpus directory, then the arguments of the user */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        var run = new FuzzRun(Path.of(arguments[0]), Path.of(arguments[1]), System.out);
        System.exit(run.run(List.of(arguments).subList(2, arguments.length)));
    }

    private int run(List<String> arguments) throws IOException, InterruptedException {
        if (arguments.contains("--help")) {
            out.print(USAGE);
            return 0;
        }
        var plan = Plan.of(arguments);
        if (plan.error().isPresent()) {
            out.println("portcullis fuzz: " + plan.error().get());
            out.print(USAGE);
            return 2;
        }
        if (plan.lists()) {
            plan.targets().forEach(target -> out.println(target.name()));
            return 0;
        }
        out.printf("%-22s %12s %10s %s%n", "target", "executions", "per s", "finding");
        int findings = 0;
        for (var target : plan.targets()) {
            findings += fuzz(target, plan.seconds()) ? 0 : 1;
        }
        out.printf("%d targets, %d with a finding%n", plan.targets().size(), findings);
        return findings == 0 ? 0 : 1;
    }

    /** @return whether the target has no finding */
    private boolean fuzz(Target target, int seconds) throws IOException, InterruptedException {
        var directory = work.resolve(target.name());
        var found = Files.createDirectories(directory.resolve("corpus"));
        var log = directory.resolve("jazzer.log");
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-Xmx768m",
                        "-Xss1m",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "com.code_intelligence.jazzer.Jazzer",
                        "--target_class=" + target.type().getName(),
                        "--instrumentation_includes=io.portcullis.**",
                        "--custom_hook_includes=io.portcullis.**",
                        "--disabled_hooks=" + DETECTORS,
                        "--reproducer_path=" + directory,
                        "-artifact_prefix=" + directory.toAbsolutePath() + "/",
                        "-max_total_time=" + seconds,
                        "-timeout=" + INPUT_SECONDS,
                        "-max_len=" + MAX_INPUT_BYTES,
                        "-rss_limit_mb=0",
                        found.toString(),
                        corpus.resolve(target.name()).toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        var code = process.waitFor();
        var output = JazzerOutput.parse(Files.readAllLines(log, StandardCharsets.ISO_8859_1));
        var isClean = code == 0 && output.finding().isEmpty();
        out.printf(
                "%-22s %12d %10d %s%n",
                target.name(), output.executions(), output.perSecond(), isClean ? "-" : finding(output, code));
        if (!isClean) {
            output.reproducer().ifPresent(file -> out.println("    input: " + file));
            out.println("    log:   " + log);
        }
        return isClean;
    }

    private static String finding(JazzerOutput output, int code) {
        return output.finding().orElse("the fuzzer ended with exit code " + code);
    }
}
