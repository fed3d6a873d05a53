package io.portcullis.audit.report;

import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.cluster.KubernetesApi;
import io.portcullis.audit.cluster.Lister;
import io.portcullis.audit.targets.AuditScope;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes what scanners wrote as PolicyReports before a cluster moved to OpenReports: nobody would update them again. */
public final class LegacyReports {

    private static final Logger log = LoggerFactory.getLogger(LegacyReports.class);

    private final KubernetesApi api;
    private final Lister lister;

    public LegacyReports(KubernetesApi api, Lister lister) {
        this.api = api;
        this.lister = lister;
    }

    /** A failure is told and stops nothing. */
    public void remove(AuditScope scope) {
        try {
            if (!ReportStore.isInstalled(api, ReportKind.POLICY_REPORT)) {
                return;
            }
            for (var namespace : namespaces(scope)) {
                api.delete(ReportKind.POLICY_REPORT.collection(namespace) + "?" + Report.OURS);
                log.atInfo().addKeyValue("namespace", namespace).log("removed legacy reports");
            }
        } catch (ApiException e) {
            log.atWarn().addKeyValue("error", e.getMessage()).log("legacy reports cannot be removed");
        }
    }

    /** Those that hold any; collections can only be deleted one namespace at a time. */
    private Set<String> namespaces(AuditScope scope) {
        Set<String> namespaces = new HashSet<>();
        for (var collection : ReportKind.POLICY_REPORT.collections(scope)) {
            lister.list(
                    collection + "?" + Report.OURS,
                    report -> namespaces.add(
                            report.path("metadata").path("namespace").asText("")));
        }
        return namespaces;
    }
}
