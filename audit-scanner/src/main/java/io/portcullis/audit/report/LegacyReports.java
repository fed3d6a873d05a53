package io.portcullis.audit.report;

import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.cluster.KubernetesApi;
import io.portcullis.audit.cluster.Lister;
import io.portcullis.audit.targets.AuditScope;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes PolicyReports that scanners wrote before the cluster moved to OpenReports, because they would never be
 * updated again.
 */
public final class LegacyReports {

    private static final Logger log = LoggerFactory.getLogger(LegacyReports.class);

    private final KubernetesApi api;
    private final Lister lister;

    public LegacyReports(KubernetesApi api, Lister lister) {
        this.api = api;
        this.lister = lister;
    }

    /** Removes the legacy reports. Logs a failure and continues. */
    public void remove(AuditScope scope) {
        try {
            if (!ReportStore.isInstalled(api, ReportKind.POLICY_REPORT)) {
                return;
            }
            for (var namespace : namespaces(scope)) {
                api.delete(ReportKind.POLICY_REPORT.collection(namespace) + "?" + Report.MANAGED_REPORTS);
                log.atInfo().addKeyValue("namespace", namespace).log("removed legacy reports");
            }
        } catch (ApiException e) {
            log.atWarn().addKeyValue("error", e.getMessage()).log("legacy reports cannot be removed");
        }
    }

    /** Returns the namespaces with legacy reports, because a collection can be deleted only per namespace. */
    private Set<String> namespaces(AuditScope scope) {
        Set<String> namespaces = new HashSet<>();
        for (var collection : ReportKind.POLICY_REPORT.collections(scope)) {
            lister.list(
                    collection + "?" + Report.MANAGED_REPORTS,
                    report -> namespaces.add(
                            report.path("metadata").path("namespace").asText("")));
        }
        return namespaces;
    }
}
