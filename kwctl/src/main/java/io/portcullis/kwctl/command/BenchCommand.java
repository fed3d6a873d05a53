package io.portcullis.kwctl.command;

import io.portcullis.kwctl.args.Arguments;
import io.portcullis.kwctl.args.CommandSpec;
import io.portcullis.kwctl.args.Option;
import io.portcullis.kwctl.bench.BenchSettings;
import io.portcullis.kwctl.bench.BenchText;
import io.portcullis.kwctl.bench.Measurement;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.ExitCode;
import io.portcullis.kwctl.cli.Session;
import io.portcullis.kwctl.run.PolicyRun;
import io.portcullis.kwctl.run.PreparedRun;
import io.portcullis.kwctl.run.RunOptions;
import java.time.Duration;

/** {@code kwctl bench}: how long a policy takes to judge a request. */
public final class BenchCommand implements Command {

    public static final String SUMMARY = "Benchmark a Kubewarden policy";

    private static final Option MEASUREMENT_TIME = Option.one(
                    "measurement-time", "SECONDS", "How long the bench should run")
            .withStandard("5");
    private static final Option SAMPLES =
            Option.one("num-samples", "NUM", "How many samples to take").withStandard("100");
    private static final Option RESAMPLES = Option.one(
                    "num-resamples", "NUM", "Accepted for scripts of the original; results are not resampled")
            .withStandard("100000");
    private static final Option WARM_UP_TIME = Option.one(
                    "warm-up-time", "SECONDS", "How long the bench should warm up")
            .withStandard("3");

    @Override
    public CommandSpec spec() {
        return RunOptions.describe(CommandSpec.of("kwctl bench", SUMMARY))
                .describedBy("""
                        Takes what `kwctl run` takes. The policy is loaded and its settings are validated once; then it judges
                        the request again and again. A replayed session starts anew for every evaluation.""")
                .with(MEASUREMENT_TIME, SAMPLES, RESAMPLES, WARM_UP_TIME);
    }

    @Override
    public ExitCode run(Arguments arguments, Session session) {
        var settings = new BenchSettings(
                Duration.ofSeconds(number(arguments, WARM_UP_TIME)),
                Duration.ofSeconds(number(arguments, MEASUREMENT_TIME)),
                Math.max(1, number(arguments, SAMPLES)));
        number(arguments, RESAMPLES);
        try (var run = RunOptions.prepare(arguments, session)) {
            for (var policy : run.policies()) {
                try {
                    measure(run, policy, settings, session);
                } catch (CommandException e) {
                    throw new CommandException("[Policy %s] - %s".formatted(policy.id(), e.getMessage()), e.getCause());
                }
            }
        }
        return ExitCode.SUCCESS;
    }

    private static int number(Arguments arguments, Option option) {
        var text = arguments.orStandard(option);
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException _) {
            throw new CommandException("Cannot convert '" + option.longName() + "': '" + text + "' is not a number");
        }
    }

    private static void measure(PreparedRun run, PolicyRun policy, BenchSettings settings, Session session) {
        var label = "validate";
        try (var loaded = run.evaluation().load(policy, run.modules(), run.mode())) {
            var request = run.request().forPolicy(policy.isRaw());
            session.out().print(BenchText.warmingUp(label, settings));
            session.out().flush();
            var measured = Measurement.of(
                    () -> {
                        run.evaluation().rewind(run.mode());
                        loaded.validate(request);
                    },
                    settings,
                    warmUp -> {
                        session.out().print(BenchText.warmedUp(label, warmUp));
                        session.out().flush();
                    });
            session.out().print(BenchText.result(label, measured));
        }
    }
}
