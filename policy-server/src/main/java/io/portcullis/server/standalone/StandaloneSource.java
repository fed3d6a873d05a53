package io.portcullis.server.standalone;

import io.portcullis.api.policies.PoliciesFile;
import io.portcullis.api.policies.PoliciesFileException;
import io.portcullis.artifacts.PolicyFetcher;
import io.portcullis.evaluator.PolicyLoader;
import io.portcullis.process.cli.FailureException;
import io.portcullis.process.files.FileFingerprint;
import io.portcullis.process.files.FileWatch;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment;
import io.portcullis.server.source.LoadingThreads;
import io.portcullis.server.source.PolicyLoadState;
import io.portcullis.server.source.PolicySource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loads the policies of a {@code policies.yml} and then follows changes of the file. */
public final class StandaloneSource implements PolicySource {

    private static final Logger log = LoggerFactory.getLogger(StandaloneSource.class);

    private final Path file;
    private final ExecutorService threads;
    private final StandalonePolicies policies;
    private final boolean failFast;
    private final CompletableFuture<Void> failure = new CompletableFuture<>();
    private volatile boolean loaded;
    private FileFingerprint appliedFingerprint;
    private Optional<FileWatch> watch = Optional.empty();

    /**
     * @param isQuarantined whether the module with this digest is in quarantine
     * @param failFast whether the start fails when a policy cannot be loaded
     */
    public StandaloneSource(
            Path file,
            PolicyFetcher fetcher,
            PolicyLoader loader,
            EvaluationEnvironment environment,
            Predicate<String> isQuarantined,
            boolean failFast,
            Clock clock) {
        this.file = file;
        this.failFast = failFast;
        this.threads = LoadingThreads.pool("prepare", Runtime.getRuntime().availableProcessors());
        this.policies = new StandalonePolicies(
                new Preparation(fetcher, loader, ModulePaths.relativeTo(file), isQuarantined),
                environment,
                threads,
                clock);
        this.appliedFingerprint = FileFingerprint.of(List.of());
    }

    /**
     * Loads all policies, then follows the file.
     *
     * @throws PoliciesFileException when the file is not valid
     */
    @Override
    public void start() throws InterruptedException {
        appliedFingerprint = FileFingerprint.of(List.of(file));
        apply(parseStrictly());
        var failures = failures();
        if (failFast && !failures.isEmpty()) {
            throw new FailureException(failures.getFirst(), null);
        }
        watch = Optional.of(FileWatch.start("policies", List.of(file), FileWatch.POLL, this::check));
        loaded = true;
    }

    /** Returns one line for each failed entry; empty when all are served. */
    private List<String> failures() {
        return policies.states().stream()
                .flatMap(state -> state.lastError().map(error -> state.id() + ": " + error).stream())
                .collect(Collectors.toList());
    }

    @Override
    public boolean isReady() {
        return loaded;
    }

    @Override
    public CompletableFuture<Void> failure() {
        return failure;
    }

    @Override
    public List<PolicyLoadState> states() {
        return policies.states();
    }

    @Override
    public void prepareShutdown() {}

    private void check() {
        try {
            var now = FileFingerprint.of(List.of(file));
            if (now.equals(appliedFingerprint)) {
                policies.retryTemporaryFailures();
                return;
            }
            appliedFingerprint = now;
            log.atInfo().addKeyValue("file", file).log("policies file changed");
            apply(PoliciesFile.parse(read()));
        } catch (PoliciesFileException e) {
            log.atError()
                    .addKeyValue("error", e.getMessage())
                    .log("policies file is not valid, keeping the current policies");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void apply(PoliciesFile parsed) throws InterruptedException {
        for (var deprecation : parsed.deprecations()) {
            log.atWarn().addKeyValue("file", file).log(deprecation);
        }
        policies.apply(parsed);
    }

    private PoliciesFile parseStrictly() {
        try {
            return PoliciesFile.parseStrictly(read());
        } catch (PoliciesFileException e) {
            throw new PoliciesFileException("error while loading policies from \"" + file + "\": " + e.getMessage(), e);
        }
    }

    private String read() {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new PoliciesFileException("no such file", e);
        } catch (IOException e) {
            throw new PoliciesFileException(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public void close() {
        watch.ifPresent(FileWatch::close);
        threads.shutdownNow();
    }
}
