package io.portcullis.server.preparation;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.loading.ModulePreparation;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.server.preparation.child.ChildCommand;
import io.portcullis.server.preparation.child.ChildMemory;
import io.portcullis.server.preparation.child.PreparationFailure;
import io.portcullis.server.preparation.child.PreparationLimits;
import io.portcullis.server.preparation.child.PreparationProcess;
import io.portcullis.server.preparation.child.PreparationProcess.Ending;
import io.portcullis.server.preparation.child.PreparationResult.Prepared;
import io.portcullis.server.preparation.child.PreparationResult.Rejected;
import io.portcullis.server.preparation.child.StandbyProcess;
import io.portcullis.server.preparation.quarantine.Quarantine;
import io.portcullis.server.preparation.quarantine.QuarantineFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares each module in a separate child process. If a child crashes or reaches a limit, only this load fails, and the
 * module is quarantined. Thread-safe.
 */
public final class IsolatedPreparation implements ModulePreparation, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(IsolatedPreparation.class);

    private final PreparationLimits limits;
    private final boolean standbyWhileBusy;
    private final StandbyProcess standby;
    private final Quarantine quarantine;
    private final PreparationMetrics metrics;
    private final Semaphore slots;
    private final Set<PreparationProcess> running = ConcurrentHashMap.newKeySet();

    IsolatedPreparation(
            PreparationLimits limits,
            boolean standbyWhileBusy,
            List<String> command,
            Duration idle,
            Quarantine quarantine,
            Metrics metrics) {
        this.limits = limits;
        this.standbyWhileBusy = standbyWhileBusy;
        this.standby = new StandbyProcess(() -> PreparationProcess.start(command, limits), idle);
        this.quarantine = quarantine;
        this.slots = new Semaphore(limits.concurrent(), true);
        this.metrics = new PreparationMetrics(
                metrics, running::size, () -> quarantine.held().size(), limits);
    }

    /**
     * Creates a preparation that uses the JVM and the libraries of this process. Starts a first child at once, so that it is
     * ready when the first module has been fetched.
     *
     * @param standbyWhileBusy whether memory allows one more child, which waits while others work
     * @param engine the fingerprint of the engine
     * @param quarantineFile keeps the quarantine across restarts
     */
    public static IsolatedPreparation start(
            PreparationLimits limits,
            boolean standbyWhileBusy,
            String engine,
            Path quarantineFile,
            InstantSource clock,
            Metrics metrics) {
        var quarantine = new Quarantine(engine + "-" + limits.description(), clock, new QuarantineFile(quarantineFile));
        var preparation = new IsolatedPreparation(
                limits,
                standbyWhileBusy,
                ChildCommand.of(System.getProperties(), System.getenv(), limits),
                StandbyProcess.IDLE,
                quarantine,
                metrics);
        preparation.expectWork();
        return preparation;
    }

    public Quarantine quarantine() {
        return quarantine;
    }

    /** Returns the memory that children use now. */
    public long usedBytes() {
        return running.stream()
                        .mapToLong(child -> ChildMemory.of(child.pid()).orElse(0))
                        .sum()
                + standby.usedBytes();
    }

    /** Starts a child in advance, while a module is fetched. */
    public void expectWork() {
        if (standbyWhileBusy || running.isEmpty()) {
            standby.ensure();
        }
    }

    @Override
    public byte[] prepare(Job job) {
        throwIfQuarantined(job);
        try {
            slots.acquire();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        try {
            throwIfQuarantined(job);
            var start = System.nanoTime();
            var ending = run(job);
            metrics.time(System.nanoTime() - start);
            return finish(job, ending);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            slots.release();
        }
    }

    private static PolicyLoadException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new PolicyLoadException(Reason.PREPARATION_FAILED, "the preparation was cancelled", e);
    }

    private void throwIfQuarantined(Job job) {
        quarantine.find(job.digest()).ifPresent(entry -> {
            metrics.count("quarantined");
            throw failed(job, entry.message(), Optional.of(entry.until()));
        });
    }

    private Ending run(Job job) throws InterruptedException {
        PreparationProcess child;
        try {
            child = standby.take();
        } catch (IOException e) {
            return new Ending.Failed(PreparationFailure.notStarted(String.valueOf(e.getMessage())));
        }
        running.add(child);
        try {
            if (standbyWhileBusy && slots.hasQueuedThreads()) {
                standby.ensure();
            }
            return child.run(job);
        } finally {
            running.remove(child);
            child.close();
            expectWork();
        }
    }

    private byte[] finish(Job job, Ending ending) {
        return switch (ending) {
            case Ending.Answered(Prepared(var compiled)) -> {
                metrics.count("prepared");
                quarantine.release(job.digest());
                yield compiled;
            }
            case Ending.Answered(Rejected(var reason, var message)) -> {
                metrics.count("rejected");
                throw new PolicyLoadException(reason, message, null);
            }
            case Ending.Failed(var failure) -> {
                metrics.count(failure.cause().wireName());
                throw fail(job, failure);
            }
        };
    }

    private PolicyLoadException fail(Job job, PreparationFailure failure) {
        var until = failure.isCausedByModule()
                ? Optional.of(quarantine.add(job.digest(), failure.message()).until())
                : Optional.<Instant>empty();
        log.atWarn()
                .addKeyValue("digest", job.digest())
                .addKeyValue("cause", failure.cause().wireName())
                .addKeyValue("error", failure.message())
                .addKeyValue("memory_limit", limits.memoryBytes())
                .log("module not prepared");
        return failed(job, failure.message(), until);
    }

    /** Creates the exception. Its text changes only with a new attempt, so that the status is not written repeatedly. */
    private static PolicyLoadException failed(Job job, String message, Optional<Instant> until) {
        var text = "preparation failed: " + message;
        return until.map(instant -> PolicyLoadException.quarantined(
                        job.digest(),
                        text + "; the module sha256:" + job.digest() + " is quarantined until "
                                + instant.truncatedTo(ChronoUnit.SECONDS)))
                .orElseGet(() -> new PolicyLoadException(Reason.PREPARATION_FAILED, text, null));
    }

    /** Kills all children. */
    @Override
    public void close() {
        standby.close();
        running.forEach(PreparationProcess::close);
    }
}
