package io.portcullis.kwctl.command;

import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.cache.LocalModuleCache;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.ErrorText;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.policy.PolicyLocation;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.kwctl.policy.VerificationOptions;
import io.portcullis.kwctl.run.Evaluation;
import io.portcullis.kwctl.suite.BatsImport;
import io.portcullis.kwctl.suite.CaseResult;
import io.portcullis.kwctl.suite.ReportFormat;
import io.portcullis.kwctl.suite.SuiteJobs;
import io.portcullis.kwctl.suite.SuiteRunner;
import io.portcullis.kwctl.suite.TestSuite;
import io.portcullis.kwctl.yaml.YamlText;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code kwctl test}: runs the test suites of policies. */
public final class TestCommand implements Command {

    public static final String SUMMARY = "Test policies with declarative suites of requests and expected verdicts";

    private static final Logger log = LoggerFactory.getLogger("kwctl::test");

    private static final Option FORMAT = Option.choice("output", "FORMAT", ReportFormat.names(), "How to report")
            .withShort('o')
            .withDefault("text");
    private static final Option FROM_BATS =
            Option.one("from-bats", "FILE", "Print a suite made of the shell tests in this bats file; nothing is run");
    private static final Option JOBS = Option.one("jobs", "NUMBER", "How many suites to run at once")
            .withShort('j')
            .withDefault("1");
    private static final Option REPORT = Option.one("report-path", "FILE", "File to write the report to");
    private static final Option WATCH =
            Option.flag("watch", "Run again whenever a file beside the suites changes, until interrupted");

    private static final Pattern SUITE_NAME = Pattern.compile("(.*[-_.])?(kw)?test\\.ya?ml");
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int MAX_JOBS = 64;

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl test", SUMMARY)
                .describedBy("""
                        A suite is a YAML file named test.yaml, *-test.yaml, *_test.yaml or *.test.yaml:

                          policy: policy.wasm            # or a URI, or a YAML file with one policy or group
                          settings: {}                   # for all cases
                          cases:
                          - name: rejects privileged pods
                            request: requests/pod.json   # a file, or the request itself
                            # object: pod.yaml           # instead of request: the creation of this object
                            # session: session.yml       # recorded answers to host calls
                            # namespaceLabels: {}        # for the namespaceSelector of a policy in YAML
                            expect:
                              allowed: false
                              message: not allowed       # part of the message
                              # code, patch, settingsError, skipped

                        The exit code is 1 when a case fails. A policy in YAML is asked only if its rules, selectors
                        and matchConditions match the request, as in a cluster.""")
                .with(RemoteOptions.OPTIONS)
                .with(VerificationOptions.OPTIONS)
                .with(FORMAT, FROM_BATS, JOBS, PolicyLocation.OFFLINE, REPORT, WATCH)
                .taking(Positional.any("path", "Suites, or directories to look for them in [default: .]"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        if (arguments.has(FROM_BATS)) {
            return importTests(arguments.required(FROM_BATS), session);
        }
        var places = arguments.positionals().isEmpty() ? List.of(".") : arguments.positionals();
        var roots = places.stream().map(session::path).toList();
        var cache = LocalModuleCache.in(session.directories().kwctlCache().resolve("modules"));
        try (var suites = new SuiteJobs(jobs(arguments), () -> runner(cache, arguments, session))) {
            return arguments.has(WATCH)
                    ? watchAndRun(suites, roots, arguments, session)
                    : runOnce(suites, roots, arguments, session);
        }
    }

    private static SuiteRunner runner(CompiledModuleCache cache, ParsedArguments arguments, CommandSession session) {
        var source = new PolicyLocation(arguments, session);
        return new SuiteRunner(new Evaluation(cache, Optional.of(LIMIT), arguments, session), source);
    }

    private static int jobs(ParsedArguments arguments) {
        var text = arguments.orDefault(JOBS);
        try {
            var number = Integer.parseUnsignedInt(text);
            if (number >= 1 && number <= MAX_JOBS) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Reported below.
        }
        throw new CommandException("Cannot convert 'jobs': '" + text + "' is not a number from 1 to " + MAX_JOBS);
    }

    private static KwctlExitCode importTests(String file, CommandSession session) {
        var imported = BatsImport.of(
                TextFile.read(session.path(file), "cannot read file " + file),
                name -> TextFile.read(session.path(name), "Cannot open settings file " + name));
        imported.remarks().forEach(log::warn);
        session.out().print(YamlText.of(imported.suite()));
        return KwctlExitCode.SUCCESS;
    }

    /**
     * Runs the suites after every change. Starts watching before the first run, so that it misses no change. Continues
     * after an invalid suite, until the user corrects it.
     */
    private static KwctlExitCode watchAndRun(
            SuiteJobs jobs, List<Path> roots, ParsedArguments arguments, CommandSession session) {
        try (var watch = new DirectoryWatch(
                roots, arguments.value(REPORT).map(session::path).stream().toList())) {
            KwctlExitCode code;
            do {
                try {
                    code = runOnce(jobs, roots, arguments, session);
                } catch (CommandException e) {
                    session.err().print(ErrorText.of(e, false));
                    session.err().flush();
                    code = KwctlExitCode.FAILURE;
                }
            } while (watch.awaitChange());
            return code;
        }
    }

    private static KwctlExitCode runOnce(
            SuiteJobs jobs, List<Path> roots, ParsedArguments arguments, CommandSession session) {
        var files = suites(roots);
        if (files.isEmpty()) {
            throw new CommandException("no test suite found; a suite is named test.yaml or *-test.yaml");
        }
        var results = jobs.run(files.stream()
                .map(file -> TestSuite.parse(file, TextFile.read(file, "cannot read test suite " + file)))
                .toList());
        report(results, arguments, session);
        return results.stream().allMatch(CaseResult::passed) ? KwctlExitCode.SUCCESS : KwctlExitCode.FAILURE;
    }

    private static void report(List<CaseResult> results, ParsedArguments arguments, CommandSession session) {
        var format = ReportFormat.of(arguments.orDefault(FORMAT));
        var file = arguments.value(REPORT);
        if (file.isEmpty()) {
            session.out().print(format.render(results, session.terminal().outStyled()));
            session.out().flush();
            return;
        }
        try {
            Files.writeString(session.path(file.get()), format.render(results, false));
        } catch (IOException e) {
            throw new CommandException("cannot create file " + file.get(), e);
        }
    }

    private static List<Path> suites(List<Path> roots) {
        var found = new ArrayList<Path>();
        for (var root : roots) {
            if (!Files.isDirectory(root)) {
                found.add(root);
                continue;
            }
            try (var files = Files.walk(root)) {
                files.filter(Files::isRegularFile)
                        .filter(file -> SUITE_NAME
                                .matcher(String.valueOf(file.getFileName()))
                                .matches())
                        .sorted()
                        .forEach(found::add);
            } catch (IOException e) {
                throw new CommandException("cannot look for test suites in " + root, e);
            }
        }
        return found;
    }
}
