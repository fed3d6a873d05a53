package io.portcullis.audit.report;

import io.portcullis.audit.cluster.KubernetesApi;
import io.portcullis.audit.targets.AuditScope;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The two API groups of reports. They differ only in names. */
public enum ReportKind {
    OPEN_REPORTS("openreports", "openreports.io", "v1alpha1", "Report", "reports", "ClusterReport", "clusterreports"),
    POLICY_REPORT(
            "policyreport",
            "wgpolicyk8s.io",
            "v1alpha2",
            "PolicyReport",
            "policyreports",
            "ClusterPolicyReport",
            "clusterpolicyreports");

    private final String wireName;
    private final String group;
    private final String version;
    private final String kind;
    private final String plural;
    private final String clusterKind;
    private final String clusterPlural;

    ReportKind(
            String wireName,
            String group,
            String version,
            String kind,
            String plural,
            String clusterKind,
            String clusterPlural) {
        this.wireName = wireName;
        this.group = group;
        this.version = version;
        this.kind = kind;
        this.plural = plural;
        this.clusterKind = clusterKind;
        this.clusterPlural = clusterPlural;
    }

    /** Values of {@code --report-kind}. */
    public static List<String> wireNames() {
        return Arrays.stream(values()).map(report -> report.wireName).toList();
    }

    public static Optional<ReportKind> parse(String wireName) {
        return Arrays.stream(values())
                .filter(report -> report.wireName.equals(wireName))
                .findFirst();
    }

    public String group() {
        return group;
    }

    public String apiVersion() {
        return group + "/" + version;
    }

    /** @param namespace empty for reports on cluster-scoped objects */
    String kind(String namespace) {
        return namespace.isEmpty() ? clusterKind : kind;
    }

    String discoveryPath() {
        return "/apis/" + apiVersion();
    }

    /** Returns the path of reports in all namespaces. */
    String allNamespaces() {
        return discoveryPath() + "/" + plural;
    }

    /** Returns the collection path of a namespace, or of cluster-scoped reports if empty. */
    String collection(String namespace) {
        return namespace.isEmpty()
                ? discoveryPath() + "/" + clusterPlural
                : discoveryPath() + "/namespaces/" + KubernetesApi.escape(namespace) + "/" + plural;
    }

    /** Returns the collection paths of reports on objects of a scope. */
    List<String> collections(AuditScope scope) {
        return switch (scope) {
            case AuditScope.Everything _ -> List.of(collection(""), allNamespaces());
            case AuditScope.ClusterWide _ -> List.of(collection(""));
            case AuditScope.OneNamespace one -> List.of(collection(one.name()));
        };
    }

    /** Returns both plural resource names, as in discovery. */
    List<String> plurals() {
        return List.of(plural, clusterPlural);
    }
}
