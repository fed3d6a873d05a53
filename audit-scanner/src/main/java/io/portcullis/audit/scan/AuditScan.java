package io.portcullis.audit.scan;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.cluster.KubernetesApi;
import io.portcullis.audit.cluster.Lister;
import io.portcullis.audit.evaluation.AuditReview;
import io.portcullis.audit.evaluation.PolicyCaller;
import io.portcullis.audit.policy.PolicyInventory;
import io.portcullis.audit.policy.PolicyInventory.LeftOut;
import io.portcullis.audit.report.CeilingEvent;
import io.portcullis.audit.report.LegacyReports;
import io.portcullis.audit.report.Report;
import io.portcullis.audit.report.ReportKind;
import io.portcullis.audit.report.ReportStore;
import io.portcullis.audit.report.Reports;
import io.portcullis.audit.scan.ScanPlan.Work;
import io.portcullis.audit.targets.AuditScope;
import io.portcullis.audit.targets.ResourceTypeIndex;
import io.portcullis.audit.targets.TypeDiscovery;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run: finds out what is enforced, judges every object that it means, writes reports and removes old ones. Failures
 * stay where they happen: a type that cannot be listed keeps its old reports, a policy that cannot be asked is an error in
 * the reports, a report that cannot be stored is counted.
 */
public final class AuditScan {

    private static final Logger log = LoggerFactory.getLogger(AuditScan.class);

    /** For the objects that are being judged; a third of the memory that the launcher gives a scanner. */
    private static final int ROOM_MEBIBYTES = 32;

    /**
     * What to scan, and how.
     *
     * @param namespace of the scanner and the policy servers
     * @param ignored namespaces that are left out
     * @param storesReports false: nothing in the cluster is written or removed
     */
    public record Order(
            AuditScope scope,
            String namespace,
            Set<String> ignored,
            ReportKind kind,
            boolean storesReports,
            String runUid,
            ScanLimits limits) {}

    /** What a scan works with. */
    public record Tools(
            KubernetesApi api,
            Lister lister,
            PolicyCaller.Means policies,
            InstantSource clock,
            Tally tally,
            ScanProgress progress,
            Consumer<Report> output) {}

    /** A list to be made: of one namespace, or of all. */
    private record Task(Work work, Optional<String> namespace) {}

    private final Order order;
    private final Tools tools;
    private final Set<ReportStore.Subject> failed = ConcurrentHashMap.newKeySet();

    public AuditScan(Order order, Tools tools) {
        this.order = order;
        this.tools = tools;
    }

    /** @throws ApiException when not even policies, types or namespaces can be read; then nothing was written */
    public Summary run() throws InterruptedException {
        var start = tools.clock().instant();
        var catalogue = new TypeDiscovery(tools.api()).find();
        var plan = ScanPlan.of(tools.policies().discovery().find(order.scope()), catalogue, order.scope());
        tell(plan);
        var namespaces = namespaces();
        var store = openStore();
        var judge = new ObjectJudge(
                tools.api(),
                tools.policies(),
                AuditReview.inNamespace(order.namespace()),
                tools.clock(),
                order.limits().policies());
        scanAll(plan, namespaces, judge, store);
        if (store.isPresent()) {
            removeStale(store.get(), catalogue);
            tellCeiling();
        }
        var givenUp = judge.givenUp();
        givenUp.forEach((policy, reason) -> log.atError()
                .addKeyValue("policy", policy)
                .addKeyValue("reason", reason)
                .log("a policy was given up"));
        return Summary.of(
                plan,
                tools.tally(),
                givenUp.size(),
                tools.policies().retries().count(),
                tools.lister().calls(),
                Duration.between(start, tools.clock().instant()));
    }

    private static void tell(ScanPlan plan) {
        plan.skipped().forEach(policy -> tell(policy, "a policy is not audited"));
        plan.errored().forEach(policy -> tell(policy, "a policy cannot be audited"));
        plan.warnings().forEach(policy -> tell(policy, "a rule of a policy is not audited"));
    }

    private static void tell(LeftOut policy, String what) {
        log.atWarn()
                .addKeyValue("policy", policy.policy().display())
                .addKeyValue("reason", policy.reason())
                .log(what);
    }

    private Namespaces namespaces() {
        Map<String, Map<String, String>> labels = new HashMap<>();
        switch (order.scope()) {
            case AuditScope.ClusterWide _ -> {}
            case AuditScope.OneNamespace one -> {
                var found = tools.api().getTree("/api/v1/namespaces/" + KubernetesApi.escape(one.name()));
                if (found instanceof ObjectNode object) {
                    labels.put(one.name(), ObjectJudge.labels(object));
                }
            }
            case AuditScope.Everything _ ->
                tools.lister().list("/api/v1/namespaces", object -> {
                    var name = object.path("metadata").path("name").asText();
                    if (!order.ignored().contains(name)) {
                        labels.put(name, ObjectJudge.labels(object));
                    }
                });
        }
        return new Namespaces(labels);
    }

    private Optional<ReportStore> openStore() {
        if (!order.storesReports()) {
            return Optional.empty();
        }
        if (!ReportStore.isInstalled(tools.api(), order.kind())) {
            tools.tally().failed(Tally.Failure.STORE);
            log.atError()
                    .addKeyValue("definitions", order.kind().apiVersion())
                    .log("no reports are stored: their definitions are not installed");
            return Optional.empty();
        }
        if (order.kind() == ReportKind.OPEN_REPORTS) {
            new LegacyReports(tools.api(), tools.lister()).remove(order.scope());
        }
        return Optional.of(ReportStore.open(
                tools.api(),
                tools.lister(),
                order.kind(),
                order.scope(),
                order.limits().reports()));
    }

    private void scanAll(ScanPlan plan, Namespaces namespaces, ObjectJudge judge, Optional<ReportStore> store)
            throws InterruptedException {
        var scan = new ListScan(
                tools.lister(),
                judge,
                store.<Reports>map(reports -> reports).orElse(Reports.NOWHERE),
                namespace -> frame(plan, namespace),
                tools.tally(),
                tools.progress(),
                tools.output(),
                new ObjectMemoryLimit(ROOM_MEBIBYTES),
                order.limits().objects());
        new InParallel(order.limits().lists()).map(tasks(plan, namespaces), task -> {
            try {
                scan.run(task.work(), task.namespace(), namespaces);
            } catch (ApiException e) {
                failed(task, e);
            }
            return task;
        });
    }

    private static List<Task> tasks(ScanPlan plan, Namespaces namespaces) {
        var tasks = new ArrayList<Task>();
        for (var work : plan.work()) {
            if (work.type().isNamespaced()) {
                namespaces.lists(work).forEach(namespace -> tasks.add(new Task(work, namespace)));
            } else {
                tasks.add(new Task(work, Optional.empty()));
            }
        }
        return tasks;
    }

    private Report.Frame frame(ScanPlan plan, String namespace) {
        return new Report.Frame(
                order.kind(),
                order.runUid(),
                PolicyInventory.countFor(plan.skipped(), namespace),
                PolicyInventory.countFor(plan.errored(), namespace));
    }

    private void failed(Task task, ApiException e) {
        var type = task.work().type();
        failed.add(new ReportStore.Subject(type.group(), type.kind()));
        tools.tally().failed(Tally.Failure.LIST);
        log.atError()
                .addKeyValue("type", type.toString())
                .addKeyValue("namespace", task.namespace().orElse(""))
                .addKeyValue("error", e.getMessage())
                .log("objects cannot be listed; their old reports stay");
    }

    /** What could not be looked at is not known to be gone. */
    private void removeStale(ReportStore store, ResourceTypeIndex catalogue) throws InterruptedException {
        var stale = store.stale(old -> failed.contains(old.subject())
                || catalogue.unreachable().contains(old.subject().group()));
        new InParallel(order.limits().objects()).map(stale, old -> {
            try {
                store.remove(old);
                tools.tally().removed();
            } catch (ApiException e) {
                tools.tally().failed(Tally.Failure.REMOVE);
                log.atError()
                        .addKeyValue("report", old.name())
                        .addKeyValue("error", e.getMessage())
                        .log("an old report cannot be removed");
            }
            return old;
        });
    }

    private void tellCeiling() {
        var refused = tools.tally().count(Reports.Stored.REFUSED);
        if (refused > 0) {
            log.atWarn()
                    .addKeyValue("ceiling", order.limits().reports())
                    .addKeyValue("without_report", refused)
                    .log("there are as many reports as there may be");
            new CeilingEvent(tools.api(), order.namespace())
                    .tell(order.limits().reports(), refused, tools.clock().instant());
        }
    }
}
