package io.portcullis.server.preparation;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.evaluator.loading.ModulePreparation.Job;
import io.portcullis.evaluator.loading.ModulePreparation.Trial;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.process.cli.Arguments;
import io.portcullis.process.cli.ExitCode;
import io.portcullis.process.cli.FailureException;
import io.portcullis.process.cli.Flag;
import io.portcullis.server.preparation.child.ChildCommand;
import io.portcullis.server.preparation.child.PreparationLimits;
import io.portcullis.server.preparation.child.PreparationMessages;
import io.portcullis.server.preparation.child.PreparationProcess;
import io.portcullis.server.preparation.child.PreparationProcess.Ending;
import io.portcullis.server.preparation.child.PreparationResult.Prepared;
import io.portcullis.server.preparation.child.PreparationResult.Rejected;
import io.portcullis.server.preparation.quarantine.QuarantineFile;
import io.portcullis.wasm.engine.WasmEngines;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Subcommands for operators: prepare a module manually, release a module from quarantine. */
public final class PreparationCommands {

    private static final Flag<Path> MODULE = Flag.path("--module", "", "The module to prepare.");
    private static final Flag<Long> MEMORY =
            Flag.memory("--memory", "", "Memory that the preparation may use.").withDefault("200Mi");
    private static final Flag<Duration> TIMEOUT = Flag.duration("--timeout", "", "Time that the preparation may take.")
            .withDefault("25s");
    private static final Flag<Path> WRITE_JOB = Flag.path(
                    "--write-job", "", "Write what a preparation process reads to this file, and end.")
            .hidden();
    private static final Flag<Path> DIRECTORY = Flag.path(
            "--directory", "", "Where the server keeps compiled modules: --policies-download-dir, then /.compiled.");
    private static final Flag<String> DIGEST =
            Flag.text("--digest", "", "SHA256", "The module to release, with or without sha256: before it.");

    public static final List<Flag<?>> PREPARE_FLAGS = List.of(MODULE, MEMORY, TIMEOUT, WRITE_JOB);
    public static final List<Flag<?>> RELEASE_FLAGS = List.of(DIRECTORY, DIGEST);

    private PreparationCommands() {}

    /** Prepares one module within limits and reports whether it fits. */
    public static ExitCode prepare(Arguments arguments, PrintStream out) throws InterruptedException {
        var file = arguments.get(MODULE);
        var limits = new PreparationLimits(arguments.get(MEMORY), arguments.get(TIMEOUT), Integer.MAX_VALUE - 16, 1);
        var start = System.nanoTime();
        try (var engine = WasmEngines.forPreparation()) {
            var loader = WasmPolicyLoader.forAllExecutionModes(
                    engine,
                    CompiledModuleCache.NONE,
                    _ -> {
                        throw new HostCallException("no host calls here");
                    },
                    Clock.systemUTC(),
                    EvaluationLimits.DEFAULT);
            var wasm = Files.readAllBytes(file);
            var job = new Job(
                    "by-hand",
                    wasm,
                    PolicyMetadata.ofServable(wasm).executionMode(),
                    loader.fingerprint(wasm),
                    Optional.of(new Trial(new byte[] {'{', '}'}, Duration.ofSeconds(2))));
            var jobFile = arguments.find(WRITE_JOB);
            if (jobFile.isPresent()) {
                try (var stream = Files.newOutputStream(jobFile.get())) {
                    PreparationMessages.writeJob(job, stream);
                }
                return ExitCode.OK;
            }
            try (var child = PreparationProcess.start(
                    ChildCommand.of(System.getProperties(), System.getenv(), limits), limits)) {
                return report(file, child.run(job), System.nanoTime() - start, out);
            }
        } catch (PolicyLoadException e) {
            throw new FailureException("cannot prepare " + file + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new FailureException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    private static ExitCode report(Path file, Ending ending, long nanoseconds, PrintStream out) {
        return switch (ending) {
            case Ending.Answered(Prepared(var compiled)) -> {
                out.printf(
                        "%s: prepared in %.1f s, %d bytes of native code%n", file, nanoseconds / 1e9, compiled.length);
                yield ExitCode.OK;
            }
            case Ending.Answered(Rejected(var reason, var message)) ->
                throw new FailureException("cannot prepare " + file + ": " + reason + ", " + message, null);
            case Ending.Failed(var failure) ->
                throw new FailureException("cannot prepare " + file + ": " + failure.message(), null);
        };
    }

    /** Removes a module from the quarantine file of a server. A running server reads the change. */
    public static ExitCode release(Arguments arguments, PrintStream out) {
        var file = new QuarantineFile(QuarantineFile.in(arguments.get(DIRECTORY)));
        var digest = arguments.get(DIGEST).replaceFirst("^sha256:", "");
        var entries = file.read();
        var others =
                entries.stream().filter(entry -> !entry.digest().equals(digest)).toList();
        if (others.size() == entries.size()) {
            throw new FailureException("the module " + digest + " is not in quarantine", null);
        }
        if (!file.write(others)) {
            throw new FailureException(
                    "the quarantine file in " + arguments.get(DIRECTORY) + " cannot be written", null);
        }
        out.println("released " + digest);
        return ExitCode.OK;
    }
}
