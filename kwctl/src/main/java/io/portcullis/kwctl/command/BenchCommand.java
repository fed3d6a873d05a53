package io.portcullis.kwctl.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.kwctl.bench.BenchSettings;
import io.portcullis.kwctl.bench.BenchText;
import io.portcullis.kwctl.bench.Change;
import io.portcullis.kwctl.bench.Measurement;
import io.portcullis.kwctl.bench.SampleFiles;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.output.OutputFormat;
import io.portcullis.kwctl.run.InvalidSettingsException;
import io.portcullis.kwctl.run.PolicyRun;
import io.portcullis.kwctl.run.PreparedRun;
import io.portcullis.kwctl.run.RunOptions;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;

/** {@code kwctl bench}: measures how long a policy takes to evaluate a request. */
public final class BenchCommand implements Command {

    public static final String SUMMARY = "Benchmark a Kubewarden policy";

    private static final Option MEASUREMENT_TIME = Option.one(
                    "measurement-time", "SECONDS", "How long the bench should run")
            .withDefault("5");
    private static final Option MAX_MEAN = Option.one(
            "max-mean", "DURATION", "Fail when judging the request takes longer on average, for example 500us or 2ms");
    private static final Option OUTPUT = Option.choice("output", "FORMAT", List.of("text", "json"), "How to report")
            .withShort('o')
            .withDefault("text");
    private static final Option SAMPLES =
            Option.one("num-samples", "NUM", "How many samples to take").withDefault("100");
    private static final Option RESAMPLES = Option.one(
                    "num-resamples", "NUM", "How many resamples to compare with the previous run by")
            .withDefault("100000");
    private static final Option DUMP = Option.flag(
            "dump-results-to-disk", "Keep the samples in target/tiny-bench and compare with those of the previous run");
    private static final Option WARM_UP_TIME = Option.one(
                    "warm-up-time", "SECONDS", "How long the bench should warm up")
            .withDefault("3");

    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,9})?)(ns|us|µs|ms|s)");

    @Override
    public CommandSpec spec() {
        return RunOptions.describe(CommandSpec.of("kwctl bench", SUMMARY))
                .describedBy("""
                        Takes what `kwctl run` takes. The policy is loaded and its settings are validated once; then it
                        validates them again and again, and then it judges the request again and again. A replayed
                        session starts anew every time.""")
                .with(DUMP, MAX_MEAN, MEASUREMENT_TIME, OUTPUT, SAMPLES, RESAMPLES, WARM_UP_TIME);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var settings = new BenchSettings(
                Duration.ofSeconds(number(arguments, WARM_UP_TIME)),
                Duration.ofSeconds(number(arguments, MEASUREMENT_TIME)),
                Math.max(1, number(arguments, SAMPLES)));
        var resamples = number(arguments, RESAMPLES);
        var limit = arguments.value(MAX_MEAN).map(BenchCommand::nanoseconds);
        var results = JsonNodeFactory.instance.arrayNode();
        var isText = arguments.orDefault(OUTPUT).equals("text");
        var kept =
                Optional.of(new SampleFiles(session.path("target/tiny-bench"))).filter(_ -> arguments.has(DUMP));
        try (var run = RunOptions.prepare(arguments, session)) {
            for (var policy : run.policies()) {
                try {
                    var bench = new Bench(settings, resamples, kept, isText, session);
                    results.addAll(bench(run, policy, bench, limit));
                } catch (CommandException e) {
                    throw new CommandException(
                            "[Policy %s (%s)] - %s".formatted(policy.id(), policy.modules(), clause(e)), e.getCause());
                }
            }
        }
        if (!isText) {
            session.out().print(OutputFormat.prettyJson(results));
        }
        return KwctlExitCode.SUCCESS;
    }

    private static double nanoseconds(String text) {
        var parts = DURATION.matcher(text);
        if (!parts.matches()) {
            throw new CommandException("Cannot convert 'max-mean': '" + text + "' is no duration such as 500us or 2ms");
        }
        var unit = switch (parts.group(2)) {
            case "ns" -> 1;
            case "us", "µs" -> 1e3;
            case "ms" -> 1e6;
            default -> 1e9;
        };
        return Double.parseDouble(parts.group(1)) * unit;
    }

    /** Returns the message as the second part of a sentence. */
    private static String clause(CommandException e) {
        return e instanceof InvalidSettingsException invalid
                ? "provided settings are not valid: " + invalid.problem()
                : String.valueOf(e.getMessage());
    }

    private static int number(ParsedArguments arguments, Option option) {
        var text = arguments.orDefault(option);
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException _) {
            throw new CommandException("Cannot convert '" + option.longName() + "': '" + text + "' is not a number");
        }
    }

    private static List<ObjectNode> bench(PreparedRun run, PolicyRun policy, Bench bench, Optional<Double> limit) {
        try (var loaded = run.evaluation().load(policy, run.modules(), run.mode())) {
            var request = run.request().forPolicy(policy.isRaw());
            var settings = bench.measure("validate_settings", () -> {
                run.evaluation().rewind(run.mode());
                loaded.validateSettings();
            });
            var verdicts = bench.measure("validate", () -> {
                run.evaluation().rewind(run.mode());
                loaded.validate(request);
            });
            limit.filter(most -> verdicts.mean() > most).ifPresent(most -> {
                throw new CommandException("judging the request takes %s on average, more than %s"
                        .formatted(BenchText.duration(verdicts.mean()), BenchText.duration(most)));
            });
            return List.of(
                    BenchText.json("validate_settings", settings).put("policy", policy.id()),
                    BenchText.json("validate", verdicts).put("policy", policy.id()));
        }
    }

    /** The settings of a measurement, and where to print and store its result. */
    private record Bench(
            BenchSettings settings, int resamples, Optional<SampleFiles> kept, boolean isText, CommandSession session) {

        Measurement measure(String label, Runnable work) {
            printText(BenchText.warmingUp(label, settings));
            var measured = Measurement.of(work, settings, warmUp -> printText(BenchText.warmedUp(label, warmUp)));
            printText(BenchText.result(label, measured));
            kept.flatMap(files -> files.replace(label, measured.samples()))
                    .map(before -> Change.between(before, measured.samples(), resamples, new Random()))
                    .ifPresent(change -> printText(BenchText.change(change)));
            return measured;
        }

        private void printText(String text) {
            if (isText) {
                session.out().print(text);
                session.out().flush();
            }
        }
    }
}
