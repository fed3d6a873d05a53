package io.portcullis.audit.scan;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.cluster.Lister;
import io.portcullis.audit.report.Report;
import io.portcullis.audit.report.Reports;
import io.portcullis.audit.scan.ScanPlan.Work;
import java.util.Map;
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

    private void start(ExecutorService threads, Semaphore slots, Work work, ObjectNode object, Namespaces namespaces) {
        slots.acquireUninterruptibly();
        var units = memory.acquire(Weight.of(object));
        threads.execute(() -> {
            try {
                evaluate(work, object, namespaces.labelsOf(namespaceOf(object)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                // An internal error with one object is logged and counted; the scan continues.
                tally.failed(Tally.Failure.STORE);
                log.atError().setCause(e).log("an object could not be audited");
            } finally {
                memory.release(units);
                slots.release();
                progress.evaluated();
            }
        });
    }

    private void evaluate(Work work, ObjectNode object, Map<String, String> namespaceLabels)
            throws InterruptedException {
        var judgements = evaluator.evaluate(work, object, namespaceLabels);
        tally.evaluated();
        if (judgements.isEmpty()) {
            return;
        }
        judgements.forEach(judgement -> tally.verdict(judgement.verdict().result()));
        var report = Report.of(contexts.apply(namespaceOf(object)), object, judgements);
        output.accept(report);
        store(report);
    }

    private void store(Report report) {
        try {
            tally.report(reports.put(report));
        } catch (ApiException e) {
            tally.failed(Tally.Failure.STORE);
            log.atError()
                    .addKeyValue("report", report.name())
                    .addKeyValue("namespace", report.namespace())
                    .addKeyValue("error", e.getMessage())
                    .log("a report cannot be stored");
        }
    }

    private static String namespaceOf(ObjectNode object) {
        return object.path("metadata").path("namespace").asText("");
    }
}
