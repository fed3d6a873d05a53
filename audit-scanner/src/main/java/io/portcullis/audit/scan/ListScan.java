package io.portcullis.audit.scan;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.cluster.Lister;
import io.portcullis.audit.report.Report;
import io.portcullis.audit.report.Reports;
import io.portcullis.audit.scan.ScanPlan.Work;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evaluates the objects of one list while reading it. Reading pauses at the limit of concurrent objects or of their
 * memory, which bounds memory use for any size of cluster and objects.
 */
final class ListScan {

    private static final Logger log = LoggerFactory.getLogger(ListScan.class);

    private final Lister lister;
    private final ObjectEvaluator evaluator;
    private final Reports reports;
    private final Function<String, Report.ReportContext> contexts;
    private final Tally tally;
    private final ScanProgress progress;
    private final Consumer<Report> output;
    private final ObjectMemoryLimit memory;
    private final int maxConcurrent;

    /**
     * @param contexts supplies the shared report fields of a namespace
     * @param output receives every report, stored or not
     * @param memory memory limit for the objects of all lists
     * @param maxConcurrent maximum number of concurrently evaluated objects
     */
    ListScan(
            Lister lister,
            ObjectEvaluator evaluator,
            Reports reports,
            Function<String, Report.ReportContext> contexts,
            Tally tally,
            ScanProgress progress,
            Consumer<Report> output,
            ObjectMemoryLimit memory,
            int maxConcurrent) {
        this.lister = lister;
        this.evaluator = evaluator;
        this.reports = reports;
        this.contexts = contexts;
        this.tally = tally;
        this.progress = progress;
        this.output = output;
        this.memory = memory;
        this.maxConcurrent = maxConcurrent;
    }

    /**
     * @param namespace empty for objects of all namespaces, and for cluster-scoped objects
     * @throws ApiException if the list cannot be read completely
     */
    void run(Work work, Optional<String> namespace, Namespaces namespaces) {
        var slots = new Semaphore(maxConcurrent);
        var following = new AtomicLong();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            lister.list(
                    work.type().path(namespace),
                    object -> {
                        if (isWanted(work, object, namespaces)) {
                            progress.found();
                            start(threads, slots, work, object, namespaces);
                        }
                    },
                    remaining -> progress.following(remaining - following.getAndSet(remaining)));
        }
    }

    private static boolean isWanted(Work work, ObjectNode object, Namespaces namespaces) {
        return !work.type().isNamespaced() || namespaces.contains(namespaceOf(object));
    }

    /** What became of one object. */
    private sealed interface Outcome {

        /** No policy applies to the object, so it has no report. */
        record NotConcerned() implements Outcome {}

        record Reported(Reports.Stored stored) implements Outcome {}

        /** The API server did not take the report. */
        record NotStored(Report report, ApiException cause) implements Outcome {}

        /** An unexpected error, which is a bug of the scanner. The scan continues with the other objects. */
        record UnexpectedError(RuntimeException cause) implements Outcome {}
    }

    private void start(ExecutorService threads, Semaphore slots, Work work, ObjectNode object, Namespaces namespaces) {
        slots.acquireUninterruptibly();
        var units = memory.acquire(Weight.of(object));
        threads.execute(() -> {
            try {
                count(audit(work, object, namespaces));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                memory.release(units);
                slots.release();
                progress.evaluated();
            }
        });
    }

    private Outcome audit(Work work, ObjectNode object, Namespaces namespaces) throws InterruptedException {
        try {
            var judgements = evaluator.evaluate(work, object, namespaces.labelsOf(namespaceOf(object)));
            tally.evaluated();
            if (judgements.isEmpty()) {
                return new Outcome.NotConcerned();
            }
            judgements.forEach(judgement -> tally.verdict(judgement.verdict().result()));
            var report = Report.of(contexts.apply(namespaceOf(object)), object, judgements);
            output.accept(report);
            return store(report);
        } catch (RuntimeException e) {
            return new Outcome.UnexpectedError(e);
        }
    }

    private Outcome store(Report report) {
        try {
            return new Outcome.Reported(reports.put(report));
        } catch (ApiException e) {
            return new Outcome.NotStored(report, e);
        }
    }

    private void count(Outcome outcome) {
        switch (outcome) {
            case Outcome.NotConcerned() -> {}
            case Outcome.Reported(var stored) -> tally.report(stored);
            case Outcome.NotStored(var report, var cause) -> {
                tally.failed(Tally.Failure.STORE);
                log.atError()
                        .addKeyValue("report", report.name())
                        .addKeyValue("namespace", report.namespace())
                        .addKeyValue("error", cause.getMessage())
                        .log("a report cannot be stored");
            }
            case Outcome.UnexpectedError(var cause) -> {
                tally.failed(Tally.Failure.INTERNAL);
                log.atError().setCause(cause).log("an object could not be audited");
            }
        }
    }

    private static String namespaceOf(ObjectNode object) {
        return object.path("metadata").path("namespace").asText("");
    }
}
