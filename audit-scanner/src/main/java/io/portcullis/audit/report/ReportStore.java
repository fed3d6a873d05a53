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
 * Reports in the cluster. What is there is read once, at the beginning: a report that says the same is not written again,
 * a new one only below the ceiling, and what nobody wrote again is removed at the end. A run that is killed in the middle
 * leaves some reports new, some old and none half written; the next run brings all of them up to date. Safe for use by
 * many threads.
 */
public final class ReportStore implements Reports {

    private static final String FIELD_MANAGER = "kubewarden-audit-scanner";
    private static final int FORBIDDEN = 403;

    /** A report from before this run. */
    public record Old(String name, String namespace, Subject subject, long fingerprint) {}

    /** The type of the object that a report is about. */
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
    private final Map<String, Old> before = new ConcurrentHashMap<>();
    private final Set<String> current = ConcurrentHashMap.newKeySet();
    private final AtomicLong count = new AtomicLong();

    private ReportStore(KubernetesApi api, ReportKind kind, long ceiling) {
        this.api = api;
        this.kind = kind;
        this.ceiling = ceiling;
    }

    /** Whether the API server knows reports of this kind. */
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
     * Reads the reports that are there.
     *
     * @param wanted those that this run answers for
     * @param ceiling how many there may be
     */
    public static ReportStore open(KubernetesApi api, Lister lister, ReportKind kind, AuditScope wanted, long ceiling) {
        var store = new ReportStore(api, kind, ceiling);
        for (var collection : kind.collections(wanted)) {
            lister.list(collection + "?" + Report.OURS, store::remember);
        }
        store.count.set(store.before.size());
        return store;
    }

    private void remember(ObjectNode report) {
        var metadata = report.path("metadata");
        var name = metadata.path("name").asText();
        before.put(
                name,
                new Old(name, metadata.path("namespace").asText(""), Subject.of(report), ReportFingerprint.of(report)));
    }

    @Override
    public Stored put(Report report) {
        var old = before.get(report.name());
        // A list that began again shows objects twice; a report that this run made does not count twice.
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

    /** Returns false when the namespace is gone or going. */
    private boolean write(Report report) {
        try {
            api.apply(path(report.namespace(), report.name()), report.bytes(), FIELD_MANAGER);
            return true;
        } catch (ApiException e) {
            var isGoing =
                    e.code() == FORBIDDEN && String.valueOf(e.getMessage()).contains("because it is being terminated");
            if (e.isNotFound() || isGoing) {
                return false;
            }
            throw e;
        }
    }

    /** Reports of earlier runs that this one did not confirm. */
    public List<Old> stale(Predicate<Old> isToBeKept) {
        return before.values().stream()
                .filter(old -> !current.contains(old.name()) && !isToBeKept.test(old))
                .toList();
    }

    /** @throws ApiException when it cannot be removed; one that is gone already is none */
    public void remove(Old old) {
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
