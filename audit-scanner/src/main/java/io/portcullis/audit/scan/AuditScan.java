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
import io.portcullis.matching.AdmissionAttributes;
import io.portcullis.process.kubernetes.EventWriter;
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
 * One scan: finds the enforced policies, evaluates all matching objects, writes reports and removes stale ones.
 * Failures are isolated. A type that cannot be listed keeps its old reports. A policy that cannot be called becomes
 * an error in the reports. A report that cannot be stored is counted.
 */
public final class AuditScan {

    private static final Logger log = LoggerFactory.getLogger(AuditScan.class);

    /** Memory for objects under evaluation: a third of the memory that the launcher gives a scanner. */
    private static final int OBJECT_MEMORY_MEBIBYTES = 32;

    /**
     * Parameters of a scan.
     *
     * @param namespace of the scanner and the policy servers
     * @param ignored namespaces to skip
     * @param storesReports false if nothing in the cluster may be written or removed
     */
    public record Parameters(
            AuditScope scope,
            String namespace,
            Set<String> ignored,
            ReportKind kind,
            boolean storesReports,
            String runUid,
            ScanLimits limits) {}

    /** Dependencies of a scan. */
    public record Dependencies(
            KubernetesApi api,
            EventWriter events,
            Lister lister,
            PolicyCaller.Dependencies policies,
            InstantSource clock,
            Tally tally,
            ScanProgress progress,
            Consumer<Report> output) {}

    /** A list to read: one namespace, or all namespaces. */
    private record Task(Work work, Optional<String> namespace) {}

    private final Parameters parameters;
    private final Dependencies dependencies;
    private final Set<ReportStore.Subject> failed = ConcurrentHashMap.newKeySet();

    public AuditScan(Parameters parameters, Dependencies dependencies) {
        this.parameters = parameters;
        this.dependencies = dependencies;
    }

    /** @throws ApiException if policies, types or namespaces cannot be read; then nothing was written */
    public Summary run() throws InterruptedException {
        var start = dependencies.clock().instant();
        var typeIndex = new TypeDiscovery(dependencies.api()).find();
        var plan = ScanPlan.of(
                dependencies.policies().discovery().find(parameters.scope()), typeIndex, parameters.scope());
        logExclusions(plan);
        var namespaces = namespaces();
        var store = openStore();
        var evaluator = new ObjectEvaluator(
                dependencies.api(),
                dependencies.policies(),
                AuditReview.inNamespace(parameters.namespace()),
                dependencies.clock(),
                parameters.limits().policies());
        scanAll(plan, namespaces, evaluator, store);
        if (store.isPresent()) {
            removeStale(store.get(), typeIndex);
            reportCeiling();
        }
        var givenUp = evaluator.givenUp();
        givenUp.forEach((policy, reason) -> log.atError()
                .addKeyValue("policy", policy)
                .addKeyValue("reason", reason)
                .log("a policy was given up"));
        return Summary.of(
                plan,
                dependencies.tally(),
                givenUp.size(),
                dependencies.policies().retries().count(),
                dependencies.lister().calls(),
                Duration.between(start, dependencies.clock().instant()));
    }

    private static void logExclusions(ScanPlan plan) {
        plan.skipped().forEach(policy -> logExclusion(policy, "a policy is not audited"));
        plan.errored().forEach(policy -> logExclusion(policy, "a policy cannot be audited"));
        plan.warnings().forEach(policy -> logExclusion(policy, "a rule of a policy is not audited"));
    }

    private static void logExclusion(LeftOut policy, String what) {
        log.atWarn()
                .addKeyValue("policy", policy.policy().display())
                .addKeyValue("reason", policy.reason())
                .log(what);
    }

    private Namespaces namespaces() {
        Map<String, Map<String, String>> labels = new HashMap<>();
        switch (parameters.scope()) {
            case AuditScope.ClusterWide _ -> {}
            case AuditScope.OneNamespace one -> {
                var found = dependencies.api().getTree("/api/v1/namespaces/" + KubernetesApi.escape(one.name()));
                if (found instanceof ObjectNode object) {
                    labels.put(one.name(), AdmissionAttributes.labels(object));
                }
            }
            case AuditScope.Everything _ ->
                dependencies.lister().list("/api/v1/namespaces", object -> {
                    var name = object.path("metadata").path("name").asText();
                    if (!parameters.ignored().contains(name)) {
                        labels.put(name, AdmissionAttributes.labels(object));
                    }
                });
        }
        return new Namespaces(labels);
    }

    private Optional<ReportStore> openStore() {
        if (!parameters.storesReports()) {
            return Optional.empty();
        }
        if (!ReportStore.isInstalled(dependencies.api(), parameters.kind())) {
            dependencies.tally().failed(Tally.Failure.STORE);
            log.atError()
                    .addKeyValue("definitions", parameters.kind().apiVersion())
                    .log("no reports are stored: their definitions are not installed");
            return Optional.empty();
        }
        if (parameters.kind() == ReportKind.OPEN_REPORTS) {
            new LegacyReports(dependencies.api(), dependencies.lister()).remove(parameters.scope());
        }
        return Optional.of(ReportStore.open(
                dependencies.api(),
                dependencies.lister(),
                parameters.kind(),
                parameters.scope(),
                parameters.limits().reports()));
    }

    private void scanAll(ScanPlan plan, Namespaces namespaces, ObjectEvaluator evaluator, Optional<ReportStore> store)
            throws InterruptedException {
        var scan = new ListScan(
                dependencies.lister(),
                evaluator,
                store.<Reports>map(reports -> reports).orElse(Reports.DISCARD),
                namespace -> context(plan, namespace),
                dependencies.tally(),
                dependencies.progress(),
                dependencies.output(),
                new ObjectMemoryLimit(OBJECT_MEMORY_MEBIBYTES),
                parameters.limits().objects());
        new InParallel(parameters.limits().lists()).map(tasks(plan, namespaces), task -> {
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

    private Report.ReportContext context(ScanPlan plan, String namespace) {
        return new Report.ReportContext(
                parameters.kind(),
                parameters.runUid(),
                PolicyInventory.countFor(plan.skipped(), namespace),
                PolicyInventory.countFor(plan.errored(), namespace));
    }

    private void failed(Task task, ApiException e) {
        var type = task.work().type();
        failed.add(new ReportStore.Subject(type.group(), type.kind()));
        dependencies.tally().failed(Tally.Failure.LIST);
        log.atError()
                .addKeyValue("type", type.toString())
                .addKeyValue("namespace", task.namespace().orElse(""))
                .addKeyValue("error", e.getMessage())
                .log("objects cannot be listed; their old reports stay");
    }

    /**
     * Removes stale reports. Keeps reports of types that could not be listed, because their objects may still exist.
     */
    private void removeStale(ReportStore store, ResourceTypeIndex typeIndex) throws InterruptedException {
        var stale = store.stale(old -> failed.contains(old.subject())
                || typeIndex.unreachable().contains(old.subject().group()));
        new InParallel(parameters.limits().objects()).map(stale, old -> {
            try {
                store.remove(old);
                dependencies.tally().removed();
            } catch (ApiException e) {
                dependencies.tally().failed(Tally.Failure.REMOVE);
                log.atError()
                        .addKeyValue("report", old.name())
                        .addKeyValue("error", e.getMessage())
                        .log("an old report cannot be removed");
            }
            return old;
        });
    }

    private void reportCeiling() {
        var refused = dependencies.tally().count(Reports.Stored.REFUSED);
        if (refused > 0) {
            log.atWarn()
                    .addKeyValue("ceiling", parameters.limits().reports())
                    .addKeyValue("without_report", refused)
                    .log("the maximum number of reports is reached");
            new CeilingEvent(dependencies.events(), parameters.namespace())
                    .write(parameters.limits().reports(), refused);
        }
    }
}
