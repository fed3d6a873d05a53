package io.portcullis.controller.charts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.controller.settings.ControllerFlags;
import io.portcullis.evaluator.metadata.KubewardenVersion;
import io.portcullis.process.cli.Flag;
import io.portcullis.testkit.golden.Golden;
import io.portcullis.testkit.tools.NeedsTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the rendered manifests of the charts. */
@NeedsTools("helm")
class ChartsTest {

    private static final Golden GOLDEN = new Golden(Path.of("src/test/resources/golden/charts"));
    private static final Chart MAIN = new Chart("portcullis");
    private static final Chart DEFAULTS = new Chart("portcullis-defaults");
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    static final String[] EVERYTHING = {
        "telemetry.mode=custom",
        "telemetry.metrics=true",
        "telemetry.tracing=true",
        "telemetry.custom.endpoint=https://collector:4317",
        "telemetry.custom.otelCollectorCertificateSecret=collector-ca",
        "telemetry.custom.otelCollectorClientCertificateSecret=collector-client",
        "mTLS.enable=true",
        "mTLS.configMapName=client-ca",
        "networkPolicy.enable=true",
        "imagePullSecrets[0].name=pull-1",
        "imagePullSecrets[1].name=pull-2",
        "denyDefaultPolicyServerDeletion=true",
        "hostNetwork=true",
        "replicas=2",
        "global.priorityClassName=system-cluster-critical",
        "auditScanner.outputScan=true",
        "auditScanner.disableStore=true",
    };
    static final String[] RECOMMENDED = {
        "recommendedPolicies.enabled=true",
        "recommendedPolicies.defaultPoliciesRegistry=registry.example.com",
        "policyServer.minAvailable=1",
        "policyServer.webhookPort=9443",
    };

    /** The flags of Kubewarden's audit scanner, and two of our own. */
    private static final Set<String> AUDIT_FLAGS = Set.of(
            "--kubewarden-namespace",
            "--loglevel",
            "--output-scan",
            "--ignore-namespaces",
            "--extra-ca",
            "--client-cert",
            "--client-key",
            "--disable-store",
            "--parallel-namespaces",
            "--parallel-resources",
            "--parallel-policies",
            "--page-size",
            "--max-reports",
            "--enable-metrics",
            "--report-kind");

    private static List<JsonNode> objects(String manifests) {
        var objects = new ArrayList<JsonNode>();
        for (var document : Pattern.compile("(?m)^---$").split(manifests, -1)) {
            if (!document.replaceAll("(?m)^#.*$", "").isBlank()) {
                objects.add(MAPPER.valueToTree(Serialization.unmarshal("---\n" + document.strip(), JsonNode.class)));
            }
        }
        return objects;
    }

    private static List<JsonNode> ofKind(List<JsonNode> objects, String kind) {
        return objects.stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"portcullis-crds", "portcullis", "portcullis-defaults"})
    void passesHelmLint(String chart) {
        assertThat(new Chart(chart).lint()).returns(0, outcome -> outcome.exitCode());
    }

    @Test
    void rendersTheReviewedManifests() {
        GOLDEN.matches("portcullis.yaml", MAIN.render("kubewarden"));
        GOLDEN.matches("portcullis-everything.yaml", MAIN.render("kubewarden", EVERYTHING));
        GOLDEN.matches("portcullis-defaults.yaml", DEFAULTS.render("kubewarden", RECOMMENDED));
    }

    @Test
    void keepsCrdsOnUninstall() {
        assertThat(ofKind(objects(new Chart("portcullis-crds").render("kubewarden")), "CustomResourceDefinition"))
                .filteredOn(crd -> crd.at("/spec/group").asText().equals("policies.kubewarden.io"))
                .hasSize(6)
                .allSatisfy(crd -> assertThat(crd.at("/metadata/annotations/helm.sh~1resource-policy")
                                .asText())
                        .isEqualTo("keep"));
    }

    @Test
    void usesOnlyExistingFlags() {
        var used = new TreeSet<String>();
        var ofScanner = new TreeSet<String>();
        for (var object : objects(MAIN.render("kubewarden", EVERYTHING))) {
            var target = object.path("kind").asText().equals("CronJob") ? ofScanner : used;
            object.findValues("args")
                    .forEach(list -> list.forEach(
                            argument -> target.add(argument.asText().split("=", 2)[0])));
        }
        used.remove("cleanup");

        assertThat(used)
                .isNotEmpty()
                .isSubsetOf(ControllerFlags.ALL.stream().map(Flag::name).toList());
        assertThat(ofScanner).isNotEmpty().isSubsetOf(AUDIT_FLAGS);
    }

    @Test
    void noRoleHasAWildcard() {
        var all = objects(MAIN.render("kubewarden", EVERYTHING));
        all.addAll(objects(DEFAULTS.render("kubewarden", RECOMMENDED)));
        var roles = new ArrayList<>(ofKind(all, "Role"));
        roles.addAll(ofKind(all, "ClusterRole"));

        assertThat(roles).hasSizeGreaterThan(8);
        for (var role : roles) {
            for (var rule : role.path("rules")) {
                for (var field : List.of("apiGroups", "resources", "verbs")) {
                    assertThat(rule.path(field))
                            .as("%s of %s", field, role.at("/metadata/name"))
                            .noneMatch(value -> value.asText().contains("*"));
                }
                if (rule.path("verbs").toString().contains("\"bind\"")
                        || rule.path("verbs").toString().contains("\"escalate\"")) {
                    assertThat(rule.path("resourceNames").toString()).isEqualTo("[\"kubewarden-policy-server\"]");
                }
            }
        }
    }

    /** Revisions contain the settings of all policies. Only administrators may read them, not users of policies. */
    @Test
    void onlyAdministratorsCanReadRevisions() {
        var all = objects(MAIN.render("kubewarden", EVERYTHING));
        all.addAll(objects(DEFAULTS.render("kubewarden", RECOMMENDED)));
        var readers = Stream.concat(ofKind(all, "Role").stream(), ofKind(all, "ClusterRole").stream())
                .filter(role -> role.path("rules").toString().contains("policyrevisions"))
                .toList();

        assertThat(readers)
                .extracting(role -> role.at("/metadata/name").asText())
                .containsExactlyInAnyOrder(
                        "kubewarden-controller-manager-role", "kubewarden-policy-server", "kubewarden-policies-admin");
        assertThat(readers).allSatisfy(role -> {
            var labels = role.at("/metadata/labels").toString();
            assertThat(labels).doesNotContain("aggregate-to-view", "aggregate-to-edit");
        });
        var users = ofKind(all, "ClusterRole").stream()
                .filter(role -> role.at("/metadata/name").asText().equals("kubewarden-policies-admin"))
                .findFirst()
                .orElseThrow();
        assertThat(users.path("rules").toString()).doesNotContain("create", "update", "patch", "delete");
    }

    @Test
    void allowsTheControllerToDeleteBothKindsOfWebhooks() {
        var allowed = ofKind(objects(MAIN.render("kubewarden")), "ClusterRole").stream()
                .filter(role -> role.at("/metadata/name").asText().equals("kubewarden-controller-manager-cluster-role"))
                .flatMap(role -> role.path("rules").valueStream())
                .filter(rule -> rule.path("apiGroups").toString().contains("admissionregistration.k8s.io"))
                .filter(rule -> rule.path("verbs").toString().contains("\"delete\""))
                .flatMap(rule -> rule.path("resources").valueStream())
                .map(JsonNode::asText);

        assertThat(allowed).contains("validatingwebhookconfigurations", "mutatingwebhookconfigurations");
    }

    /** Otherwise cleanup would delete webhooks that a terminating controller creates again. */
    @Test
    void allowsCleanupToWaitForTheEndOfTheController() {
        var role = ofKind(objects(MAIN.render("kubewarden")), "Role").stream()
                .filter(found -> found.at("/metadata/name").asText().equals("kubewarden-controller-cleanup"))
                .findFirst()
                .orElseThrow();

        assertThat(role.at("/rules/0/resources/0").asText()).isEqualTo("deployments");
        assertThat(role.at("/rules/0/verbs").valueStream().map(JsonNode::asText))
                .contains("get", "list", "watch", "delete");
    }

    /** Each server has its own Lease. The controller creates a Role for it. */
    @Test
    void grantsPolicyServersNoSharedRightToUpdateLeases() {
        var role = ofKind(objects(MAIN.render("kubewarden")), "Role").stream()
                .filter(found -> found.at("/metadata/name").asText().equals("kubewarden-policy-server"))
                .findFirst()
                .orElseThrow();

        assertThat(role.path("rules"))
                .filteredOn(rule -> rule.path("resources").toString().contains("leases"))
                .singleElement()
                .satisfies(rule -> assertThat(rule.path("verbs").toString()).isEqualTo("[\"create\"]"));
    }

    /** A starting replica finds the others there. It may not read their pods. */
    @Test
    void letsPolicyServersListEndpointsButNotPods() {
        var role = ofKind(objects(MAIN.render("kubewarden")), "Role").stream()
                .filter(found -> found.at("/metadata/name").asText().equals("kubewarden-policy-server"))
                .findFirst()
                .orElseThrow();

        assertThat(role.path("rules"))
                .filteredOn(rule -> rule.path("resources").toString().contains("endpointslices"))
                .singleElement()
                .satisfies(rule -> assertThat(rule.path("verbs").toString()).isEqualTo("[\"list\"]"));
        assertThat(role.path("rules").toString()).doesNotContain("\"pods\"");
    }

    @Test
    void restrictsPolicyServersByAdmissionPoliciesUnlessDisabled() {
        var policies = ofKind(objects(MAIN.render("kubewarden")), "ValidatingAdmissionPolicy");

        assertThat(policies)
                .extracting(policy -> policy.at("/metadata/name").asText())
                .containsExactlyInAnyOrder("kubewarden-policy-server-revisions", "kubewarden-policy-server-leases");
        assertThat(policies).allSatisfy(policy -> {
            assertThat(policy.at("/spec/failurePolicy").asText()).isEqualTo("Fail");
            assertThat(policy.at("/spec/matchConditions/0/expression").asText())
                    .contains("'system:serviceaccount:kubewarden:kubewarden-controller'");
        });
        assertThat(ofKind(objects(MAIN.render("kubewarden")), "ValidatingAdmissionPolicyBinding"))
                .hasSize(2)
                .allSatisfy(binding -> assertThat(
                                binding.at("/spec/validationActions").toString())
                        .isEqualTo("[\"Deny\"]"));
        assertThat(MAIN.render("kubewarden", "policyServerIdentity.enforce=false"))
                .doesNotContain("ValidatingAdmissionPolicy\n");
        assertThat(MAIN.render("kubewarden", "policyServerIdentity=null"))
                .as("as after helm upgrade --reuse-values")
                .contains("ValidatingAdmissionPolicy\n");
    }

    @Test
    void restrictsNetworksByOneValue() {
        var restricted = objects(MAIN.render("kubewarden"));
        var open = MAIN.render("kubewarden", "networkPolicy.enable=false");

        assertThat(ofKind(restricted, "NetworkPolicy"))
                .extracting(policy -> policy.at("/metadata/name").asText())
                .containsExactlyInAnyOrder("kubewarden-controller", "audit-scanner");
        assertThat(ofKind(restricted, "NetworkPolicy"))
                .allSatisfy(policy ->
                        assertThat(policy.at("/spec/policyTypes").toString()).isEqualTo("[\"Ingress\",\"Egress\"]"));
        assertThat(ofKind(restricted, "Deployment")
                        .getFirst()
                        .findValues("args")
                        .toString())
                .contains("--policy-server-network-policies", "--policy-server-egress-ports=443,6443");
        assertThat(open).doesNotContain("NetworkPolicy", "--policy-server-network-policies");
        assertThat(MAIN.render("kubewarden", "networkPolicy.policyServerEgressPorts[0]=5000"))
                .contains("--policy-server-egress-ports=443,6443,5000");
    }

    @Test
    void defaultPolicyServerGrantsTenantsNoCapabilitiesAndUsesAnAllowedAccount() {
        var objects = objects(DEFAULTS.render("kubewarden", "policyServer.tenancy.maxPoliciesPerNamespace=5"));
        var server = ofKind(objects, "PolicyServer").getFirst();

        assertThat(server.at("/spec/namespacedPoliciesCapabilities").toString()).isEqualTo("[]");
        assertThat(server.at("/spec/tenancy/maxPoliciesPerNamespace").asInt()).isEqualTo(5);
        assertThat(ofKind(objects, "ServiceAccount"))
                .singleElement()
                .satisfies(account -> assertThat(account.at("/metadata/labels/kubewarden.io~1allow-policy-servers")
                                .asText())
                        .isEqualTo("true"));
    }

    @Test
    void everyPodCompliesWithPodSecurityRestricted() {
        for (var object : objects(MAIN.render("kubewarden"))) {
            for (var template : object.findValues("template")) {
                var pod = template.path("spec");
                assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
                assertThat(pod.at("/securityContext/seccompProfile/type").asText())
                        .isEqualTo("RuntimeDefault");
                for (var container : pod.path("containers")) {
                    assertThat(container
                                    .at("/securityContext/allowPrivilegeEscalation")
                                    .asBoolean(true))
                            .isFalse();
                    assertThat(container
                                    .at("/securityContext/readOnlyRootFilesystem")
                                    .asBoolean())
                            .isTrue();
                    assertThat(container
                                    .at("/securityContext/capabilities/drop")
                                    .toString())
                            .isEqualTo("[\"ALL\"]");
                    assertThat(container.at("/resources/limits/memory").asText())
                            .isNotEmpty();
                }
            }
        }
    }

    @Test
    void mountsTheCaCertificateButNeverItsKeyIntoTheScanner() {
        var pod = ofKind(objects(MAIN.render("kubewarden", EVERYTHING)), "CronJob")
                .getFirst()
                .at("/spec/jobTemplate/spec/template/spec");

        var ofAuthority = new ArrayList<JsonNode>();
        pod.path("volumes").forEach(volume -> {
            if (volume.at("/secret/secretName").asText().equals("kubewarden-ca")) {
                ofAuthority.add(volume.path("secret"));
            }
        });
        assertThat(ofAuthority)
                .hasSize(1)
                .allSatisfy(secret ->
                        assertThat(secret.path("items").findValuesAsText("key")).containsExactly("ca.crt"));
        assertThat(pod.toString()).doesNotContain("ca.key").doesNotContain("envFrom");
    }

    @Test
    void grantsTheScannerOnlyTheRightsThatItUses() {
        var objects = objects(MAIN.render("kubewarden"));
        var everywhere = new TreeSet<String>();
        ofKind(objects, "ClusterRole").stream()
                .filter(role -> role.at("/metadata/name").asText().equals("audit-scanner-cluster-role"))
                .flatMap(role -> grants(role).stream())
                .forEach(everywhere::add);
        var inItsNamespace = ofKind(objects, "Role").stream()
                .filter(role -> role.at("/metadata/name").asText().equals("audit-scanner"))
                .flatMap(role -> grants(role).stream())
                .toList();

        assertThat(inItsNamespace).containsExactly("events create");
        assertThat(everywhere)
                .contains(
                        "policyreports deletecollection",
                        "clusterpolicyreports deletecollection",
                        "reports create",
                        "reports patch",
                        "clusterreports delete",
                        "validatingwebhookconfigurations list")
                .noneMatch(grant -> grant.startsWith("secrets"))
                .noneMatch(grant ->
                        grant.contains("webhookconfigurations") && !grant.endsWith(" get") && !grant.endsWith(" list"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"resources", "verbs"})
    void rejectsWildcardPermissionsWithAReason(String field) {
        var outcome = DEFAULTS.attempt(
                "kubewarden",
                "policyServer.permissions[0].apiGroup=apps",
                "policyServer.permissions[0].resources[0]=deployments",
                "policyServer.permissions[0].verbs[0]=get",
                "policyServer.permissions[0]." + field + "[0]=*");
        assertThat(outcome.exitCode()).isNotZero();
        assertThat(outcome.errors()).contains("policyServer.permissions", "would let policies read every Secret");
    }

    @Test
    void usesTheLabelsAndPortsOfKubewarden() {
        var objects = objects(MAIN.render("kubewarden", "ports.webhook=9000"));
        var pod = objects.stream()
                .filter(object -> object.path("kind").asText().equals("Deployment"))
                .findFirst()
                .orElseThrow()
                .at("/spec/template");
        assertThat(pod.at("/metadata/labels/app.kubernetes.io~1component").asText())
                .isEqualTo("controller");
        assertThat(pod.at("/spec/containers/0/ports/0/name").asText()).isEqualTo("webhook-server");
        assertThat(pod.at("/spec/containers/0/ports/0/containerPort").asInt()).isEqualTo(9000);
        assertThat(objects)
                .filteredOn(
                        object -> object.at("/metadata/name").asText().equals("kubewarden-controller-webhook-service"))
                .singleElement()
                .satisfies(service -> assertThat(
                                service.at("/spec/ports/0/targetPort").asInt())
                        .isEqualTo(9000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"portcullis", "portcullis-crds", "portcullis-defaults"})
    void everyChartNamesItsCompatibleKubewardenVersion(String chart) throws IOException {
        var file = new Chart(chart).path().resolve("Chart.yaml");
        JsonNode found = Serialization.unmarshal(Files.readString(file), JsonNode.class);
        assertThat(found.at("/annotations/kubewarden.io~1compatible-version").asText())
                .isEqualTo("v" + KubewardenVersion.COMPATIBLE);
    }

    /** Returns each pair of resource and verb. */
    private static List<String> grants(JsonNode role) {
        var grants = new ArrayList<String>();
        for (var rule : role.path("rules")) {
            for (var resource : rule.path("resources")) {
                rule.path("verbs").forEach(verb -> grants.add(resource.asText() + " " + verb.asText()));
            }
        }
        return grants;
    }

    @Test
    void registersOwnWebhooksWithoutACaBundle() {
        var objects = objects(MAIN.render("kubewarden"));
        var mutating = ofKind(objects, "MutatingWebhookConfiguration").getFirst();
        var validating = ofKind(objects, "ValidatingWebhookConfiguration").getFirst();

        assertThat(mutating.path("webhooks")).hasSize(5);
        assertThat(validating.path("webhooks")).hasSize(9);
        assertThat(mutating.findValues("caBundle")).isEmpty();
        assertThat(validating.findValuesAsText("path"))
                .allSatisfy(path -> assertThat(path).startsWith("/validate-policies-kubewarden-io-v1-"));
        assertThat(mutating.at("/webhooks/0/clientConfig/service/name").asText())
                .isEqualTo("kubewarden-controller-webhook-service");
        assertThat(ofKind(objects, "Secret")).isEmpty();
    }

    /** Without a controller, a failing webhook would block the deletion of our objects and of their namespace. */
    @Test
    void ownWebhooksDoNotBlockDeletionWithoutAController() {
        for (var configuration : ofKind(objects(MAIN.render("kubewarden")), "ValidatingWebhookConfiguration")) {
            for (var webhook : configuration.path("webhooks")) {
                if (webhook.path("rules").toString().contains("DELETE")) {
                    assertThat(webhook.path("failurePolicy").asText()).isEqualTo("Ignore");
                }
            }
        }
    }

    @Test
    void runsCleanupBeforeHelmDeletesObjects() {
        var job = ofKind(objects(MAIN.render("kubewarden")), "Job").getFirst();

        assertThat(job.at("/metadata/annotations/helm.sh~1hook").asText()).isEqualTo("pre-delete");
        assertThat(job.at("/spec/template/spec/containers/0/args/0").asText()).isEqualTo("cleanup");
    }

    @ParameterizedTest
    @CsvSource({"monitor, Ignore", "protect, Fail"})
    void recommendedPoliciesFailClosedOnlyInProtectMode(String mode, String failurePolicy) {
        var values = new ArrayList<>(Arrays.asList(RECOMMENDED));
        values.add("recommendedPolicies.defaultPolicyMode=" + mode);
        var policies =
                ofKind(objects(DEFAULTS.render("kubewarden", values.toArray(String[]::new))), "ClusterAdmissionPolicy");

        assertThat(policies).hasSize(6).allSatisfy(policy -> {
            assertThat(policy.at("/spec/mode").asText()).isEqualTo(mode);
            assertThat(policy.at("/spec/failurePolicy").asText()).isEqualTo(failurePolicy);
        });
    }

    /** A number has the same default and the same bounds in the chart values and in the flag. */
    @Test
    void valuesAndFlagsAgree() throws IOException {
        var schema = MAPPER.readTree(MAIN.path().resolve("values.schema.json").toFile());
        var values = Serialization.unmarshal(Files.readString(MAIN.path().resolve("values.yaml")), ObjectNode.class);
        var flags = ControllerFlags.ALL.stream().collect(Collectors.toMap(Flag::name, flag -> flag));
        Map.of(
                        "revisionHistoryLimit", "--revision-history-limit",
                        "webhookDrainSeconds", "--webhook-drain-seconds",
                        "replicaGraceSeconds", "--replica-grace-seconds",
                        "certificateSettlingSeconds", "--certificate-settling-seconds")
                .forEach((value, name) -> {
                    var flag = Objects.requireNonNull(flags.get(name), name);
                    var bounds = schema.at("/properties/" + value);
                    int least = bounds.path("minimum").asInt();
                    int most = bounds.path("maximum").asInt();
                    assertThat(flag.defaultText())
                            .as(name)
                            .contains(values.path(value).asText());
                    assertThat(flag.parse().apply(Integer.toString(least))).isEqualTo(least);
                    assertThat(flag.parse().apply(Integer.toString(most))).isEqualTo(most);
                    assertThatThrownBy(() -> flag.parse().apply(Integer.toString(least - 1)))
                            .as(name)
                            .isInstanceOf(IllegalArgumentException.class);
                    assertThatThrownBy(() -> flag.parse().apply(Integer.toString(most + 1)))
                            .as(name)
                            .isInstanceOf(IllegalArgumentException.class);
                });
    }

    /** Values that users of Kubewarden's chart have in their values file. */
    @Test
    void acceptsValuesOfKubewarden() {
        var outcome = MAIN.attempt(
                "kubewarden",
                "global.cattle.systemDefaultRegistry=registry.example.com",
                "global.tolerations[0].operator=Exists",
                "global.skipNamespaces[0]=kube-system",
                "replicas=2",
                "image.pullPolicy=Always",
                "nodeSelector.disk=ssd",
                "podAnnotations.a=b",
                "additionalEnvironmentVariables[0].name=A",
                "additionalEnvironmentVariables[0].value=b",
                "alwaysAcceptAdmissionReviewsOnDeploymentsNamespace=false",
                "ports.webhook=9444",
                "logLevel=debug",
                "telemetry.mode=sidecar",
                "telemetry.metrics=true",
                "telemetry.sidecar.metrics.port=8090",
                "telemetry.sidecar.tracing.jaeger.endpoint=collector:14250",
                "resources.controller.limits.memory=1Gi",
                "auditScanner.enable=true",
                "auditScanner.policyReporter=false",
                "auditScanner.cronJob.failedJobsHistoryLimit=1",
                "auditScanner.containerRestartPolicy=OnFailure",
                "auditScanner.reportCRDsKind=policyreport");

        assertThat(outcome.succeeded()).as(outcome.errors()).isTrue();
        assertThat(outcome.output())
                .contains(
                        "image: registry.example.com/portcullis/controller:",
                        "replicas: 2",
                        "- --webhook-server-port=9444",
                        "- --enable-otel-sidecar",
                        "restartPolicy: OnFailure",
                        "disk: ssd")
                .doesNotContain("--always-accept");
    }

    private static List<JsonNode> withValuesOfKubewarden(Chart chart) {
        var outcome = chart.attemptWith(Path.of("src/test/resources/charts/kubewarden-values.yaml"), "kubewarden");
        assertThat(outcome.succeeded()).as(outcome.errors()).isTrue();
        return objects(outcome.output());
    }

    @Test
    void appliesAKubewardenValuesFileToTheControllerChart() {
        var objects = withValuesOfKubewarden(MAIN);
        var controller = ofKind(objects, "Deployment").getFirst();
        var cleanup = ofKind(objects, "Job").getFirst().at("/spec/template/spec");
        var scanner = ofKind(objects, "CronJob").getFirst().findValue("args").toString();
        var collector = ofKind(objects, "OpenTelemetryCollector").getFirst().at("/spec/config");

        assertThat(controller.at("/metadata/labels/team").asText()).isEqualTo("platform");
        assertThat(controller.at("/metadata/annotations/owner").asText()).isEqualTo("platform");
        assertThat(controller.findValue("imagePullSecrets"))
                .hasToString("[{\"name\":\"plain\"},{\"name\":\"mapping\"}]");
        assertThat(controller.findValue("args").toString())
                .contains("--image-pull-secrets=plain,mapping", "--enable-otel-sidecar");
        assertThat(controller.findValue("resources").at("/limits"))
                .as("a default of Kubewarden's that is too small counts as not set")
                .hasToString("{\"cpu\":\"500m\",\"memory\":\"384Mi\"}");
        assertThat(cleanup.at("/securityContext/fsGroup").asInt()).isEqualTo(4712);
        assertThat(cleanup.at("/containers/0/securityContext/runAsUser").asInt())
                .isEqualTo(4711);
        assertThat(cleanup.at("/containers/0/resources/limits/memory").asText()).isEqualTo("300Mi");
        assertThat(scanner)
                .contains(
                        "--loglevel=warning",
                        "--report-kind=openreports",
                        "--parallel-namespaces=1",
                        "--ignore-namespaces=kube-system,not-audited");
        assertThat(collector.at("/exporters/prometheus/endpoint").asText()).isEqualTo(":8090");
        assertThat(collector.at("/exporters/otlp~1jaeger"))
                .hasToString("{\"endpoint\":\"jaeger.example.com:4317\",\"tls\":{\"insecure\":true}}");
        assertThat(collector.at("/service/pipelines").propertyStream().map(Map.Entry::getKey))
                .containsExactlyInAnyOrder("metrics", "traces");
    }

    @Test
    void appliesAKubewardenValuesFileToTheDefaultsChart() {
        var objects = withValuesOfKubewarden(DEFAULTS);
        var server = ofKind(objects, "PolicyServer").getFirst();
        var policies = ofKind(objects, "ClusterAdmissionPolicy");

        assertThat(server.at("/spec/sourceAuthorities"))
                .hasToString("{\"registry.example.com:5000\":[\"PEM-1\",\"PEM-2\"]}");
        assertThat(server.at("/spec/annotations/count").isTextual()).isTrue();
        assertThat(server.at("/spec/priorityClassName").asText()).isEqualTo("high");
        assertThat(server.at("/spec/tolerations")).hasToString("[{\"operator\":\"Exists\"}]");
        assertThat(server.at("/spec/affinity").has("nodeAffinity")).isTrue();
        assertThat(server.path("spec").has("imagePullSecret")).isFalse();
        assertThat(server.path("spec").has("insecureSources")).isFalse();
        assertThat(objects).allSatisfy(object -> {
            assertThat(object.at("/metadata/labels/team").asText()).isEqualTo("platform");
            assertThat(object.at("/metadata/annotations/owner").asText()).isEqualTo("platform");
        });
        assertThat(grants(ofKind(objects, "ClusterRole").getFirst()))
                .containsExactly(
                        "namespaces get", "namespaces list", "namespaces watch", "subjectaccessreviews create");
        assertThat(policies)
                .extracting(policy -> policy.at("/metadata/name").asText())
                .containsExactlyInAnyOrder(
                        "no-privilege-escalation",
                        "no-host-namespace-sharing",
                        "no-privileged-pod",
                        "my-host-paths",
                        "drop-capabilities");
        assertThat(policies).allSatisfy(policy -> {
            assertThat(policy.at("/spec/module").asText()).startsWith("mirror.example.com/kubewarden/policies/");
            assertThat(policy.at("/spec/namespaceSelector/matchExpressions/0/values"))
                    .hasToString("[\"kube-system\",\"not-judged\"]");
        });
        assertThat(policies)
                .filteredOn(policy -> policy.at("/metadata/name").asText().equals("my-host-paths"))
                .singleElement()
                .satisfies(policy -> assertThat(policy.at("/spec/settings"))
                        .as("settings may be a text")
                        .hasToString("{\"allowedHostPaths\":[{\"pathPrefix\":\"/data\"}]}"));
    }

    @Test
    void appliesAKubewardenValuesFileToTheCrdChart() {
        assertThat(ofKind(withValuesOfKubewarden(new Chart("portcullis-crds")), "CustomResourceDefinition"))
                .extracting(crd -> crd.at("/spec/group").asText())
                .contains("wgpolicyk8s.io")
                .doesNotContain("openreports.io");
    }

    /** The settings of Kubewarden's chart. With other settings, a policy would fail to load or decide differently. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "no-privilege-escalation; true; {\"allowPrivilegeEscalation\":false}",
                "no-host-namespace-sharing; false; {\"allow_host_ipc\":false,\"allow_host_network\":false,\"allow_host_pid\":false,\"allow_host_ports\":[]}",
                "no-privileged-pod; false; {\"skip_ephemeral_containers\":false,\"skip_init_containers\":false}",
                "do-not-run-as-root; true; {\"run_as_group\":{\"rule\":\"RunAsAny\"},\"run_as_user\":{\"rule\":\"MustRunAsNonRoot\"},\"supplemental_groups\":{\"rule\":\"RunAsAny\"},\"validate_container_image_configuration\":false}",
                "do-not-share-host-paths; false; {\"allowedHostPaths\":[{\"pathPrefix\":\"/tmp\",\"readOnly\":true}]}",
                "drop-capabilities; true; {\"allowed_capabilities\":[],\"default_add_capabilities\":[],\"required_drop_capabilities\":[\"ALL\"]}",
            })
    void recommendedPoliciesHaveTheSettingsOfKubewarden(String name, boolean mutating, String settings) {
        var policies = ofKind(
                objects(DEFAULTS.render("kubewarden", "recommendedPolicies.enabled=true")), "ClusterAdmissionPolicy");

        assertThat(policies)
                .filteredOn(policy -> policy.at("/metadata/name").asText().equals(name))
                .singleElement()
                .satisfies(policy -> {
                    assertThat(policy.at("/spec/settings")).hasToString(settings);
                    assertThat(policy.at("/spec/mutating").asBoolean()).isEqualTo(mutating);
                    assertThat(policy.at("/spec/module").asText()).startsWith("ghcr.io/kubewarden/policies/");
                });
    }

    @Test
    void keepsTheServiceAccountWithoutADefaultPolicyServer() {
        var objects = objects(DEFAULTS.render("kubewarden", "policyServer.enabled=false"));

        assertThat(objects)
                .extracting(object -> object.path("kind").asText())
                .containsExactlyInAnyOrder("ServiceAccount", "ClusterRole", "ClusterRoleBinding");
    }

    @Test
    void allowsAnEmptyListOfCapabilities() {
        var server = ofKind(
                        objects(DEFAULTS.render("kubewarden", "policyServer.namespacedPoliciesCapabilities=[]")),
                        "PolicyServer")
                .getFirst();

        assertThat(server.at("/spec/namespacedPoliciesCapabilities")).isEmpty();
        assertThat(server.at("/spec").has("namespacedPoliciesCapabilities")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "portcullis; replicas=0; replicas",
                "portcullis; logLevel=loud; logLevel",
                "portcullis; ports.webhook=70000; webhook",
                "portcullis; mTLS.enable=true; configMapName",
                "portcullis; auditScanner.reportCRDsKind=other; reportCRDsKind",
                "portcullis; auditScanner.maxReports=-1; maxReports",
                "portcullis-defaults; recommendedPolicies.defaultPolicyMode=off; defaultPolicyMode",
                "portcullis-defaults; recommendedPolicies.podPrivilegedPolicy.modul=x; 'modul' not allowed",
                "portcullis-defaults; recommendedPolicies.podPrivilegedPolicy.module.tag=null; tag",
                "portcullis; replica=2; 'replica' not allowed",
                "portcullis; auditScanner.cronjob.schedule=daily; 'cronjob' not allowed",
                "portcullis; auditScanner.policyReporter=true; Install policy-reporter by its own chart",
                "portcullis; nameOverride=mine; Remove nameOverride from the values",
                "portcullis; fullnameOverride=mine; Remove fullnameOverride from the values",
                "portcullis; image.repository=ghcr.io/kubewarden/adm-controller/controller; an image of Kubewarden",
                "portcullis; auditScanner.image.repository=kubewarden/audit-scanner; an image of Kubewarden",
                "portcullis; preDeleteJob.image.repository=mirror/kubectl; uses the controller's image",
                "portcullis; resources.postInstallJob.limits.cpu=1; there is no job after an installation",
                "portcullis; resources.controller.limits.memory=128Mi; needs 256Mi or more",
                "portcullis; resources.preDeleteJob.limits.memory=64M; needs 192Mi or more",
                "portcullis; telemetry.sidecar.tracing.zipkin=x; 'zipkin' not allowed",
                "portcullis; auditScanner.logLevel=loud; logLevel",
                "portcullis; image.pullPolicy=Sometimes; pullPolicy",
                "portcullis; revisionHistoryLimit=0; revisionHistoryLimit",
                "portcullis; webhookDrainSeconds=-1; webhookDrainSeconds",
                "portcullis; certificateSettlingSeconds=soon; certificateSettlingSeconds",
                "portcullis; policyIdentityScheme=mine; policyIdentityScheme",
                "portcullis; telemetry.custom.endpoint=collector:4317; endpoint",
                "portcullis; global.cattle.systemDefaultRegistry=registry.example.com/; systemDefaultRegistry",
                "portcullis; imagePullSecrets[0]=7; imagePullSecrets",
                "portcullis; imagePullSecrets[0].nam=x; imagePullSecrets",
                "portcullis-defaults; policyServer.replicas=2; 'replicas' not allowed",
                "portcullis-defaults; policyServer.replicaCount=-1; replicaCount",
                "portcullis-defaults; policyServer.webhookPort=0; webhookPort",
                "portcullis-defaults; policyServer.sourceAuthorities[0].url=x; sourceAuthorities",
                "portcullis-defaults; policyServer.sourceAuthoritiesFrom.h[0].configMapKeyRef.name=x; key",
                "portcullis-defaults; policyServer.image.repository=kubewarden/policy-server; Kubewarden's policy server",
                "portcullis-defaults; crdVersion=policies.kubewarden.io/v1alpha2; only policies.kubewarden.io/v1 is served",
                "portcullis-defaults; recommendedPolicies.defaultPoliciesRegistry=registry.example.com/; defaultPoliciesRegistry",
                "portcullis-defaults; recommendedPolicies.noPrivilegedPods.enabled=true; 'noPrivilegedPods' not allowed",
                "portcullis-crds; installOpenReportsCRDs=7; installOpenReportsCRDs",
            })
    void rejectsInvalidValues(String chart, String value, String named) {
        var outcome = new Chart(chart).attempt("kubewarden", value);

        assertThat(outcome.succeeded()).isFalse();
        assertThat(outcome.errors()).contains(named);
    }

    @Test
    void rejectsSidecarWithHostNetwork() {
        var outcome =
                MAIN.attempt("kubewarden", "hostNetwork=true", "telemetry.mode=sidecar", "telemetry.metrics=true");

        assertThat(outcome.succeeded()).isFalse();
        assertThat(outcome.errors()).contains("sidecar cannot be used together with hostNetwork");
    }
}
