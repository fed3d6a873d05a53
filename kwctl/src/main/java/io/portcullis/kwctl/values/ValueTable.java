package io.portcullis.kwctl.values;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.Quantity;
import io.portcullis.kwctl.values.Treatment.Converted;
import io.portcullis.kwctl.values.Treatment.Moved;
import io.portcullis.kwctl.values.Treatment.Refused;
import io.portcullis.kwctl.values.Treatment.Taken;
import io.portcullis.kwctl.values.Treatment.TakenIf;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Every value of Kubewarden's charts and of its single chart, and what our charts do with it. Keys that only our charts have are
 * taken, so that a converted file can be converted again.
 */
final class ValueTable {

    private static final Set<TargetChart> CRDS = Set.of(TargetChart.CRDS);
    private static final Set<TargetChart> CONTROLLER = Set.of(TargetChart.CONTROLLER);
    private static final Set<TargetChart> DEFAULTS = Set.of(TargetChart.DEFAULTS);
    private static final Set<TargetChart> BOTH = Set.of(TargetChart.CONTROLLER, TargetChart.DEFAULTS);

    private static final Pattern KUBEWARDEN_VERSION = Pattern.compile("v?1\\.[0-9]+\\..*");
    private static final String API_VERSION = "policies.kubewarden.io/v1";
    private static final long MEBIBYTE = 1 << 20;
    private static final Map<String, String> LOG_LEVELS = Map.of("trace", "debug", "warn", "warning", "fatal", "error");
    /** Default resources of the jobs of Kubewarden's chart. */
    private static final JsonNode KUBEWARDEN_JOB = JsonNodeFactory.instance
            .objectNode()
            .<ObjectNode>set(
                    "limits",
                    JsonNodeFactory.instance.objectNode().put("cpu", "100m").put("memory", "128Mi"))
            .set(
                    "requests",
                    JsonNodeFactory.instance.objectNode().put("cpu", "50m").put("memory", "64Mi"));

    /** Taken as they are. A key covers the keys below it. */
    private static final Map<Set<TargetChart>, List<String>> TAKEN = Map.of(
            CRDS,
            List.of("installOpenReportsCRDs", "installPolicyReportCRDs"),
            BOTH,
            List.of("global", "additionalLabels", "additionalAnnotations"),
            CONTROLLER,
            List.of(
                    "containerSecurityContext",
                    "podSecurityContext",
                    "preDeleteHook.containerSecurityContext",
                    "preDeleteHook.podSecurityContext",
                    "alwaysAcceptAdmissionReviewsOnDeploymentsNamespace",
                    "affinity",
                    "hostNetwork",
                    "ports.webhook",
                    "ports.healthProbe",
                    "ports.metrics",
                    "logLevel",
                    "telemetry.mode",
                    "telemetry.metrics",
                    "telemetry.tracing",
                    "telemetry.custom.endpoint",
                    "telemetry.custom.insecure",
                    "telemetry.custom.otelCollectorCertificateSecret",
                    "telemetry.custom.otelCollectorClientCertificateSecret",
                    "telemetry.sidecar.metrics.port",
                    "telemetry.sidecar.tracing.jaeger",
                    "image.pullPolicy",
                    "podAnnotations",
                    "nodeSelector",
                    "additionalEnvironmentVariables",
                    "resources.controller",
                    "resources.auditScanner",
                    "mTLS.enable",
                    "mTLS.configMapName",
                    "replicas",
                    "auditScanner.enable",
                    "auditScanner.serviceAccountName",
                    "auditScanner.image.pullPolicy",
                    "auditScanner.cronJob.schedule",
                    "auditScanner.cronJob.failedJobsHistoryLimit",
                    "auditScanner.cronJob.successfulJobsHistoryLimit",
                    "auditScanner.containerRestartPolicy",
                    "auditScanner.reportCRDsKind",
                    "auditScanner.skipAdditionalNamespaces",
                    "auditScanner.outputScan",
                    "auditScanner.disableStore",
                    "auditScanner.parallelNamespaces",
                    "auditScanner.parallelResources",
                    "auditScanner.parallelPolicies",
                    "auditScanner.pageSize",
                    // Of our chart only.
                    "tolerations",
                    "revisionHistoryLimit",
                    "webhookDrainSeconds",
                    "replicaGraceSeconds",
                    "certificateSettlingSeconds",
                    "policyIdentityScheme",
                    "denyDefaultPolicyServerDeletion",
                    "networkPolicy",
                    "policyServerIdentity",
                    "resources.cleanup",
                    "auditScanner.maxReports"),
            DEFAULTS,
            List.of(
                    "policyServer.enabled",
                    "policyServer.replicaCount",
                    "policyServer.minAvailable",
                    "policyServer.maxUnavailable",
                    "policyServer.serviceAccountName",
                    "policyServer.verificationConfig",
                    "policyServer.sigstoreTrustConfig",
                    "policyServer.env",
                    "policyServer.annotations",
                    "policyServer.securityContexts",
                    "policyServer.imagePullSecret",
                    "policyServer.insecureSources",
                    "policyServer.namespacedPoliciesCapabilities",
                    "policyServer.limits",
                    "policyServer.requests",
                    "policyServer.webhookPort",
                    "policyServer.readinessProbePort",
                    "policyServer.metricsPort",
                    "policyServer.affinity",
                    "recommendedPolicies.enabled",
                    "recommendedPolicies.defaultPoliciesRegistry",
                    "recommendedPolicies.skipAdditionalNamespaces",
                    "recommendedPolicies.defaultPolicyMode",
                    // Of our chart only.
                    "policyServer.labels",
                    "policyServer.tenancy",
                    "policyServer.sourceAuthoritiesFrom",
                    "policyServer.unverifiedPolicies",
                    "policyServer.tolerations",
                    "policyServer.priorityClassName",
                    "policyServer.extraSpec"));

    private static final List<String> POLICIES = List.of(
            "allowPrivilegeEscalationPolicy",
            "hostNamespacePolicy",
            "podPrivilegedPolicy",
            "userGroupPolicy",
            "hostPathsPolicy",
            "capabilitiesPolicy");

    private static final Refused FIXED_NAME = new Refused(
            "the names of our objects are fixed, because policy servers and tools find them by name",
            "remove the value",
            value -> isEmpty(value) || value.asText().equals("kubewarden-controller"));

    private static final TakenIf LEFT_OUT_POLICY = new TakenIf(
            JsonNode::isNull,
            "a recommended policy has only name, module.repository, module.tag and settings",
            "remove the value; null leaves the policy out");

    private static final ValueTable INSTANCE = new ValueTable();

    private final Map<List<String>, ValueRule> rules = new HashMap<>();
    /** Keys that have rows below them. */
    private final Set<List<String>> sections = new HashSet<>();

    private ValueTable() {
        TAKEN.forEach((charts, keys) -> keys.forEach(key -> add(key, charts, new Taken())));
        for (var policy : POLICIES) {
            var key = "recommendedPolicies." + policy;
            add(key, DEFAULTS, LEFT_OUT_POLICY);
            for (var below : List.of(".name", ".module.repository", ".module.tag", ".settings")) {
                add(key + below, DEFAULTS, new Taken());
            }
        }
        addConverted();
        addLimited();
        addRefused();
    }

    static ValueTable instance() {
        return INSTANCE;
    }

    List<ValueRule> rules() {
        return List.copyOf(rules.values());
    }

    /** The row that covers a key: its own, or that of the nearest key above it. */
    Optional<ValueRule> rule(List<String> path) {
        for (var length = path.size(); length > 0; length--) {
            var found = rules.get(path.subList(0, length));
            if (found != null) {
                return Optional.of(found);
            }
        }
        return Optional.empty();
    }

    boolean isSection(List<String> path) {
        return sections.contains(path);
    }

    /** Names of the keys directly below a section. */
    Set<String> keysBelow(List<String> section) {
        var names = new HashSet<String>();
        for (var path : rules.keySet()) {
            if (path.size() > section.size() && path.subList(0, section.size()).equals(section)) {
                names.add(path.get(section.size()));
            }
        }
        return names;
    }

    private void add(String key, Set<TargetChart> charts, Treatment treatment) {
        var rule = ValueRule.of(key, charts, treatment);
        if (rules.put(rule.path(), rule) != null) {
            throw new IllegalStateException("two rows for " + key);
        }
        for (var length = 1; length < rule.path().size(); length++) {
            sections.add(rule.path().subList(0, length));
        }
    }

    private void addConverted() {
        add("resources.preDeleteJob", CONTROLLER, new Moved("resources.cleanup"));
        add(
                "imagePullSecrets",
                CONTROLLER,
                new Converted("each name becomes a mapping with the key name", ValueTable::pullSecrets));
        add(
                "auditScanner.logLevel",
                CONTROLLER,
                new Converted(
                        "trace becomes debug, warn becomes warning, fatal becomes error",
                        value -> Optional.ofNullable(LOG_LEVELS.get(value.asText()))
                                .map(TextNode::valueOf)));
        add(
                "policyServer.sourceAuthorities",
                DEFAULTS,
                new Converted("the list becomes a mapping of URI to certificates", ValueTable::sourceAuthorities));
    }

    private void addLimited() {
        addImage("image", CONTROLLER, "portcullis/controller");
        addImage("auditScanner.image", CONTROLLER, "portcullis/audit-scanner");
        addImage("policyServer.image", DEFAULTS, "portcullis/policy-server");
        add(
                "resources.controller.limits.memory",
                CONTROLLER,
                new TakenIf(
                        value -> isAtLeast(value, 256 * MEBIBYTE),
                        "the controller is a Java process and needs 256Mi or more",
                        "the chart's default applies; raise the value if you need another"));
        // A limit for another job: the default of our job applies.
        add(
                "resources.preDeleteJob.limits.memory",
                CONTROLLER,
                new Refused(
                        "our job before an uninstallation is a Java process, and this limit is for another program",
                        "the chart's default applies; set resources.cleanup.limits.memory if you need another",
                        ValueTable::isEmpty));
        add(
                "policyServer.permissions",
                DEFAULTS,
                new TakenIf(
                        value -> value.findParents("resources").stream()
                                .noneMatch(permission -> hasWildcard(permission.path("resources"))
                                        || hasWildcard(permission.path("verbs"))),
                        "a permission with * would let policies read every Secret",
                        "name the resources and verbs that your policies need"));
        add(
                "crdVersion",
                DEFAULTS,
                new TakenIf(
                        value -> isEmpty(value) || value.asText().equals(API_VERSION),
                        "only " + API_VERSION + " is served",
                        "remove the value"));
    }

    private void addImage(String key, Set<TargetChart> charts, String image) {
        add(
                key + ".repository",
                charts,
                new TakenIf(
                        value -> value.asText().contains(image),
                        "it names an image of Kubewarden, or a copy of it",
                        "the chart's default applies; to use a copy of our image, name one that ends with " + image));
        add(
                key + ".tag",
                charts,
                new TakenIf(
                        value -> !KUBEWARDEN_VERSION.matcher(value.asText()).matches(),
                        "it is a version of Kubewarden",
                        "the chart's default applies"));
    }

    private void addRefused() {
        add("nameOverride", CONTROLLER, FIXED_NAME);
        add("fullnameOverride", CONTROLLER, FIXED_NAME);
        add(
                "preDeleteJob.image.repository",
                CONTROLLER,
                new Refused(
                        "our job before an uninstallation runs the controller's image",
                        "remove the value",
                        value -> isEmpty(value) || value.asText().endsWith("rancher/kuberlr-kubectl")));
        add(
                "preDeleteJob.image.tag",
                CONTROLLER,
                new Refused(
                        "our job before an uninstallation runs the controller's image", "remove the value", _ -> true));
        add(
                "resources.postInstallJob",
                CONTROLLER,
                new Refused(
                        "our chart has no job after an installation",
                        "remove the value",
                        value -> isEmpty(value) || value.equals(KUBEWARDEN_JOB)));
        add(
                "auditScanner.policyReporter",
                CONTROLLER,
                new Refused(
                        "our chart does not contain policy-reporter",
                        "install policy-reporter by its own chart; it reads our reports",
                        value -> !value.asBoolean()));
        add(
                "policy-reporter",
                CONTROLLER,
                new Refused(
                        "our chart does not contain policy-reporter",
                        "if you use it, give these values to its own chart",
                        ValueTable::isEmpty));
    }

    private static boolean isEmpty(JsonNode value) {
        return value.isNull()
                || (value.isContainerNode() ? value.isEmpty() : value.asText().isEmpty());
    }

    private static boolean hasWildcard(JsonNode names) {
        return names.valueStream().anyMatch(name -> name.asText().equals("*"));
    }

    private static Optional<JsonNode> pullSecrets(JsonNode value) {
        if (!value.isArray() || value.valueStream().noneMatch(JsonNode::isTextual)) {
            return Optional.empty();
        }
        var secrets = JsonNodeFactory.instance.arrayNode();
        value.forEach(secret -> {
            if (secret.isTextual()) {
                secrets.addObject().set("name", secret);
            } else {
                secrets.add(secret);
            }
        });
        return Optional.of(secrets);
    }

    /** Leaves out authorities without certificates, as Kubewarden's chart does. */
    private static Optional<JsonNode> sourceAuthorities(JsonNode value) {
        if (!isAuthorityList(value)) {
            return Optional.empty();
        }
        var authorities = JsonNodeFactory.instance.objectNode();
        for (var authority : value) {
            var uri = authority.path("uri").asText();
            for (var certificate : authority.path("certs")) {
                var certificates = authorities.get(uri) instanceof ArrayNode known ? known : authorities.putArray(uri);
                certificates.add(certificate);
            }
        }
        return Optional.of(authorities);
    }

    /** Passes on a list of another form; the chart's schema rejects it. */
    private static boolean isAuthorityList(JsonNode value) {
        return value.isArray()
                && value.valueStream()
                        .allMatch(authority -> authority.path("uri").isTextual()
                                && (!authority.hasNonNull("certs")
                                        || authority.path("certs").isArray()));
    }

    /** Passes on a value that is not a quantity; the API server rejects it. */
    private static boolean isAtLeast(JsonNode value, long bytes) {
        if (isEmpty(value)) {
            return true;
        }
        try {
            return Quantity.getAmountInBytes(new Quantity(value.asText())).compareTo(BigDecimal.valueOf(bytes)) >= 0;
        } catch (IllegalArgumentException _) {
            return true;
        }
    }
}
