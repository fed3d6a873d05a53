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
 * Judges the objects of one list as they come. Reading waits while as many objects as allowed are being judged, or
 * while they fill their room, so that memory grows neither with the cluster nor with its objects.
 */
final class ListScan {

    private static final Logger log = LoggerFactory.getLogger(ListScan.class);

    private final Lister lister;
    private final ObjectJudge judge;
    private final Reports reports;
    private final Function<String, Report.Frame> frames;
    private final Tally tally;
    private final ScanProgress progress;
    private final Consumer<Report> output;
    private final ObjectMemoryLimit room;
    private final int atOnce;

    /**
     * @param frames what reports of a namespace have in common
     * @param output sees every report, stored or not
     * @param room for the objects of all lists
     * @param atOnce objects judged at the same time
     */
    ListScan(
            Lister lister,
            ObjectJudge judge,
            Reports reports,
            Function<String, Report.Frame> frames,
            Tally tally,
            ScanProgress progress,
            Consumer<Report> output,
            ObjectMemoryLimit room,
            int atOnce) {
        this.lister = lister;
        this.judge = judge;
        this.reports = reports;
        this.frames = frames;
        this.tally = tally;
        this.progress = progress;
        this.output = output;
        this.room = room;
        this.atOnce = atOnce;
    }

    /**
     * @param namespace empty for objects of all namespaces, and for those outside
     * @throws ApiException when the list cannot be had, or not to its end
     */
    void run(Work work, Optional<String> namespace, Namespaces namespaces) {
        var slots = new Semaphore(atOnce);
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
        var place = room.enter(Weight.of(object));
        threads.execute(() -> {
            try {
                judge(work, object, namespaces.labelsOf(namespaceOf(object)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                // A fault of ours with one object: told and counted, the others go on.
                tally.failed(Tally.Failure.STORE);
                log.atError().setCause(e).log("an object could not be audited");
            } finally {
                room.leave(place);
                slots.release();
                progress.judged();
            }
        });
    }

    private void judge(Work work, ObjectNode object, Map<String, String> namespaceLabels) throws InterruptedException {
        var judgements = judge.judge(work, object, namespaceLabels);
        tally.judged();
        if (judgements.isEmpty()) {
            return;
        }
        judgements.forEach(judgement -> tally.verdict(judgement.verdict().result()));
        var report = Report.of(frames.apply(namespaceOf(object)), object, judgements);
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
