package io.portcullis.audit.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.cluster.KubernetesApi;
import io.portcullis.audit.cluster.Lister;
import io.portcullis.audit.targets.AuditScope;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Stores reports in the cluster. Reads the existing reports once at the start. Skips unchanged reports, creates new
 * ones only below the limit, and returns reports that this run did not confirm. If a run is killed, each report is
 * either old or new, never partial, and the next run updates all of them. Thread-safe.
 */
public final class ReportStore implements Reports {

    private static final String FIELD_MANAGER = "kubewarden-audit-scanner";

    /** A report from an earlier run. */
    public record ExistingReport(String name, String namespace, Subject subject, long fingerprint) {}

    /** The type of the object that a report describes. */
    public record Subject(String group, String kind) {

        static Subject of(ObjectNode report) {
            var apiVersion = report.path("scope").path("apiVersion").asText("");
            var slash = apiVersion.indexOf('/');
            return new Subject(
                    slash < 0 ? "" : apiVersion.substring(0, slash),
                    report.path("scope").path("kind").asText(""));
        }
    }

    private final KubernetesApi api;
    private final ReportKind kind;
    private final long ceiling;
    private final Map<String, ExistingReport> existing = new ConcurrentHashMap<>();
    private final Set<String> current = ConcurrentHashMap.newKeySet();
    private final AtomicLong count = new AtomicLong();

    private ReportStore(KubernetesApi api, ReportKind kind, long ceiling) {
        this.api = api;
        this.kind = kind;
        this.ceiling = ceiling;
    }

    /** Reports whether the CRDs of this report kind are installed. */
    public static boolean isInstalled(KubernetesApi api, ReportKind kind) {
        try {
            var served = api.getTree(kind.discoveryPath()).path("resources").findValuesAsText("name");
            return served.containsAll(kind.plurals());
        } catch (ApiException e) {
            if (e.isNotFound()) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Reads the existing reports.
     *
     * @param wanted the scope that this run manages
     * @param ceiling maximum number of reports
     */
    public static ReportStore open(KubernetesApi api, Lister lister, ReportKind kind, AuditScope wanted, long ceiling) {
        var store = new ReportStore(api, kind, ceiling);
        for (var collection : kind.collections(wanted)) {
            lister.list(collection + "?" + Report.MANAGED_REPORTS, store::addExisting);
        }
        store.count.set(store.existing.size());
        return store;
    }

    private void addExisting(ObjectNode report) {
        var metadata = report.path("metadata");
        var name = metadata.path("name").asText();
        existing.put(
                name,
                new ExistingReport(
                        name, metadata.path("namespace").asText(""), Subject.of(report), ReportFingerprint.of(report)));
    }

    @Override
    public Stored put(Report report) {
        var old = existing.get(report.name());
        // A restarted list returns objects twice; count a report of this run only once.
        if (old == null && !current.contains(report.name())) {
            return create(report);
        }
        current.add(report.name());
        if (old != null && old.fingerprint() == ReportFingerprint.of(report.document())) {
            return Stored.UNCHANGED;
        }
        return write(report) ? Stored.UPDATED : Stored.GONE;
    }

    private Stored create(Report report) {
        if (count.incrementAndGet() > ceiling) {
            count.decrementAndGet();
            return Stored.REFUSED;
        }
        var written = false;
        try {
            written = write(report);
            if (written) {
                current.add(report.name());
            }
            return written ? Stored.CREATED : Stored.GONE;
        } finally {
            if (!written) {
                count.decrementAndGet();
            }
        }
    }

    /** Returns false if the namespace is deleted or terminating. */
    private boolean write(Report report) {
        try {
            api.apply(path(report.namespace(), report.name()), report.bytes(), FIELD_MANAGER);
            return true;
        } catch (ApiException e) {
            if (e.isNotFound() || e.isNamespaceTerminating()) {
                return false;
            }
            throw e;
        }
    }

    /** Returns reports of earlier runs that this run did not confirm. */
    public List<ExistingReport> stale(Predicate<ExistingReport> mustKeep) {
        return existing.values().stream()
                .filter(old -> !current.contains(old.name()) && !mustKeep.test(old))
                .toList();
    }

    /** @throws ApiException if the report cannot be removed; a report that is already deleted is not an error */
    public void remove(ExistingReport old) {
        try {
            api.delete(path(old.namespace(), old.name()));
        } catch (ApiException e) {
            if (!e.isNotFound()) {
                throw e;
            }
        }
        count.decrementAndGet();
    }

    private String path(String namespace, String name) {
        return kind.collection(namespace) + "/" + KubernetesApi.escape(name);
    }
}
