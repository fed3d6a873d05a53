package io.portcullis.kwctl.cluster;

import static io.portcullis.kwctl.cluster.PlayedCluster.enforced;
import static io.portcullis.kwctl.cluster.PlayedCluster.whole;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.kwctl.SamplePolicies;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the real program against a real API server. The test takes the role of the controller. */
@Tag("level1")
@RealCluster
class ClusterCommandsIT {

    @TempDir
    static Path directory;

    private static PlayedCluster played;

    @BeforeAll
    static void define(TestCluster cluster) {
        played = new PlayedCluster(cluster, directory);
        cluster.installCrds();
    }

    private static void register(String name, String uid, long generation) {
        played.cluster()
                .apply(Samples.read(
                        """
                kind: ValidatingWebhookConfiguration
                apiVersion: admissionregistration.k8s.io/v1
                metadata:
                  name: kw.ap.%1$s.%2$s
                  labels: {app.kubernetes.io/part-of: kubewarden}
                  annotations: {kubewarden.io/policy-uid: "%3$s"}
                webhooks:
                - name: kw.ap.%1$s.%2$s.kubewarden.admission
                  failurePolicy: Ignore
                  sideEffects: None
                  admissionReviewVersions: [v1]
                  clientConfig: {service: {namespace: %1$s, name: policy-server-default, path: /validate/x/%4$d}}
                  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %1$s}}
                  objectSelector: {matchLabels: {app: db}}
                  rules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: [UPDATE]}]
                """.formatted(played.namespace(), name, uid, generation),
                        ValidatingWebhookConfiguration.class));
    }

    @Test
    void showsStatusRevisionsWebhookAndWhyToAnAdministratorAndLessToATenant() throws Exception {
        played.create("shown");
        var policy = played.edit("shown", 2);
        played.report(
                "shown",
                "Failed",
                2,
                1,
                whole("Accepted", "False", "Invalid", "AdmissionPolicy is invalid: round must be 1", 2),
                whole("Enforced", "False", "PartiallyEnforced", "generation 1 is enforced instead of 2", 2),
                "{type: Initialized, generation: 2, replica: -1, status: \"False\", reason: InvalidSettings, message: no}",
                "{type: Ready, generation: 1, replica: 0, status: \"True\", reason: PolicyReady, message: yes}");
        played.keepRevision(policy, 1, true);
        register("shown", policy.getMetadata().getUid(), 1);

        var all = played.kwctl("status", "shown", "-n", played.namespace());

        assertThat(all.errors()).isEmpty();
        assertThat(all.exitCode()).isZero();
        assertThat(all.output())
                .contains("Generation: 2, in force: 1")
                .containsPattern("(?m)^Accepted +False +Invalid +AdmissionPolicy is invalid: round must be 1$")
                .containsPattern("(?m)^REPLICA +GENERATION 2 +GENERATION 1$")
                .containsPattern("(?m)^0 +- +True PolicyReady$")
                .containsPattern("(?m)^1 +yes +yes +protect +abababababab +\\d+s +-$")
                .containsPattern("(?m)^ValidatingWebhookConfiguration +kw\\.ap\\.\\S+\\.shown +1 +default$")
                .contains("Why it is not enforced: AdmissionPolicy is invalid: round must be 1")
                .contains("correct spec.settings");

        var tenant = played.kwctlAs(tenant(), "status", "shown");

        assertThat(tenant.exitCode()).isZero();
        assertThat(tenant.errors()).isEmpty();
        assertThat(tenant.output())
                .contains("Revisions are not shown: you are not allowed to list policyrevisions.")
                .contains("The webhook is not shown: you are not allowed to list webhook configurations.")
                .contains("correct spec.settings");
    }

    /** Creates a tenant that may only read the policies of its namespace. */
    private static Path tenant() throws Exception {
        played.cluster()
                .apply(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withName("tenant")
                        .withNamespace(played.namespace())
                        .endMetadata()
                        .build());
        played.cluster().apply(Samples.read("""
                kind: Role
                apiVersion: rbac.authorization.k8s.io/v1
                metadata: {name: tenant, namespace: %s}
                rules: [{apiGroups: [policies.kubewarden.io], resources: [admissionpolicies, admissionpolicygroups], verbs: [list]}]
                """.formatted(played.namespace()), Role.class));
        played.cluster().apply(Samples.read("""
                kind: RoleBinding
                apiVersion: rbac.authorization.k8s.io/v1
                metadata: {name: tenant, namespace: %1$s}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: tenant}
                subjects: [{kind: ServiceAccount, name: tenant, namespace: %1$s}]
                """.formatted(played.namespace()), RoleBinding.class));
        return played.kubeconfigOf("tenant");
    }

    @Test
    void reportsForbiddenOperationsToATenant() throws Exception {
        played.create("listed");
        var kubeconfig = tenant();

        var list = played.kwctlAs(kubeconfig, "status");
        assertThat(list.output()).containsPattern("AdmissionPolicy +" + played.namespace() + " +listed");
        assertThat(list.errors())
                .contains("note: you are not allowed to list clusteradmissionpolicies")
                .contains("shown are those of " + played.namespace());

        var applies = played.kwctlAs(kubeconfig, "what-applies", played.namespace());
        assertThat(applies.exitCode()).isEqualTo(1);
        assertThat(applies.errors())
                .startsWith("Error: you are not allowed to read namespace ")
                .hasLineCount(1);

        var wait = played.kwctlAs(kubeconfig, "wait", "listed", "--timeout", "20s");
        assertThat(wait.exitCode()).isEqualTo(1);
        assertThat(wait.errors()).contains("Error: you are not allowed to watch ");

        var rollback = played.kwctlAs(kubeconfig, "rollback", "listed");
        assertThat(rollback.exitCode()).isEqualTo(1);
        assertThat(rollback.errors())
                .startsWith("Error: you are not allowed to roll back ")
                .hasLineCount(1);
    }

    @Test
    void listsPoliciesAsStructuredData() {
        played.create("counted");

        var result = played.kwctl("status", "-n", played.namespace(), "-o", "json");

        assertThat(YamlDocuments.parse(result.output()).findValuesAsText("name"))
                .contains("counted");
        assertThat(played.kwctl("status", "countd", "-n", played.namespace()).errors())
                .contains("did you mean ap/" + played.namespace() + "/counted?");
    }

    /** Uses a kind for which no other test creates policies. */
    @Test
    void scansManifestsWithThePoliciesOfTheCluster() throws Exception {
        played.create("about-pods");
        played.client()
                .resource(Samples.read(
                        """
                kind: AdmissionPolicy
                metadata: {name: no-forbidden-widgets, namespace: %s}
                spec:
                  module: file://%s
                  mutating: false
                  settings: {denied: [forbidden]}
                  rules: [{apiGroups: [shop.example.org], apiVersions: [v1], resources: [widgets], operations: [CREATE]}]
                """.formatted(played.namespace(), SamplePolicies.path("opa-denied-labels/policy.wasm")),
                        AdmissionPolicy.class))
                .create();
        var widgets = Files.writeString(directory.resolve("widgets.yaml"), """
                {apiVersion: shop.example.org/v1, kind: Widget, metadata: {name: good, namespace: %1$s}}
                ---
                {apiVersion: shop.example.org/v1, kind: Widget, metadata: {name: bad, namespace: %1$s, labels: {forbidden: "yes"}}}
                ---
                {apiVersion: shop.example.org/v1, kind: Widget, metadata: {name: elsewhere, labels: {forbidden: "yes"}}}
                """.formatted(played.namespace()))
                .toString();

        var admin = played.kwctl("scan", "--from-cluster", widgets);

        assertThat(admin.exitCode()).as("%s", admin).isEqualTo(3);
        assertThat(admin.output())
                .containsPattern("REJECTED +\\S+widgets.yaml:3 Widget " + played.namespace() + "/bad: ")
                .contains("no-forbidden-widgets")
                .doesNotContain("/good", "/elsewhere");

        var tenant = played.kwctlAs(tenant(), "scan", "--from-cluster", widgets);

        assertThat(tenant.exitCode()).as("%s", tenant).isEqualTo(3);
        assertThat(withoutCountOfOthers(tenant)).isEqualTo(withoutCountOfOthers(admin));
        assertThat(tenant.errors()).contains("you are not allowed to list clusteradmissionpolicies");
    }

    /** Other tests leave cluster-wide policies, which only the administrator sees. */
    private static String withoutCountOfOthers(ShellCommand.Outcome scan) {
        return scan.output().replaceFirst(", \\d+ not asked$", "");
    }

    /** Do not use the common pool: the Kubernetes client of this test needs its few threads. */
    private static CompletableFuture<ShellCommand.Outcome> inBackground(String... words) {
        return CompletableFuture.supplyAsync(
                () -> played.kwctl(words), task -> Thread.ofVirtual().start(task));
    }

    @Test
    void waitsUntilEnforced() throws Exception {
        played.create("awaited");
        var waiting = inBackground("wait", played.namespace() + "/awaited", "--timeout", "50s");
        played.report("awaited", "Pending", 1, 0, whole("Enforced", "False", "NotEnforced", "not yet", 1));
        played.report("awaited", "Active", 1, 1, enforced(1));

        var result = waiting.get(60, TimeUnit.SECONDS);

        assertThat(result.exitCode()).as(result.errors()).isZero();
        assertThat(result.output()).isEqualTo(played.namespace() + "/awaited (AdmissionPolicy): enforced");
    }

    @Test
    void stopsWaitingWhenThePolicyFailsOrTheTimeLimitIsOver() {
        played.create("hopeless");
        played.report("hopeless", "Failed", 1, 0, whole("Enforced", "False", "NotEnforced", "no registry", 1));
        var name = played.namespace() + "/hopeless";

        var failed = played.kwctl("wait", name, "--timeout", "50s");
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.errors()).endsWith("hopeless (AdmissionPolicy) failed: no registry");

        var late = played.kwctl("wait", name, "--timeout", "1s", "--fail-fast", "false", "--for", "active");
        assertThat(late.exitCode()).isEqualTo(1);
        assertThat(late.errors())
                .endsWith("hopeless (AdmissionPolicy) is not active after 1s; generation 1: phase Failed, no registry");
    }

    @Test
    void rollsBackAndWaitsForTheRestoredContent() throws Exception {
        played.create("restored");
        var policy = played.edit("restored", 2);
        played.report("restored", "Active", 2, 2, enforced(2));
        played.keepRevision(policy, 1, false);
        played.keepRevision(policy, 2, true);

        var refused = played.kwctl("rollback", played.namespace() + "/restored", "--to", "7");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.errors()).startsWith("Error: cannot roll back: no revision of generation 7 is kept");

        var running = inBackground("rollback", played.namespace() + "/restored", "--wait", "--timeout", "50s");
        var asked = played.policy("restored")
                .waitUntilCondition(
                        seen -> seen != null
                                && seen.getMetadata().getAnnotations().containsKey(PolicyNames.ROLLBACK_TO),
                        50,
                        TimeUnit.SECONDS);
        assertThat(asked.getMetadata().getAnnotations()).containsEntry(PolicyNames.ROLLBACK_TO, "1");
        played.policy("restored").edit(seen -> {
            seen.getMetadata().getAnnotations().remove(PolicyNames.ROLLBACK_TO);
            seen.getSpec().withObjectProperty("settings").put("round", 1);
            return seen;
        });
        played.report("restored", "Active", 3, 3, enforced(3));

        var result = running.get(60, TimeUnit.SECONDS);
        assertThat(result.exitCode()).as(result.errors()).isZero();
        assertThat(result.output())
                .contains("from generation 2 to the content of generation 1.")
                .endsWith("restored (AdmissionPolicy) is rolled back and enforced.");
    }

    /** The API server's own admission replaces the controller's webhook. */
    @Test
    void showsWhyARollbackIsRejected() {
        var policy = played.create("guarded");
        played.keepRevision(policy, 1, true);
        played.edit("guarded", 2);
        var name = played.namespace();
        played.cluster().apply(Samples.read("""
                kind: ValidatingAdmissionPolicy
                apiVersion: admissionregistration.k8s.io/v1
                metadata: {name: "%s"}
                spec:
                  matchConstraints:
                    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "%s"}}
                    resourceRules: [{apiGroups: [policies.kubewarden.io], apiVersions: [v1], resources: [admissionpolicies], operations: [UPDATE]}]
                  validations:
                  - expression: "object.metadata.name != 'guarded'"
                    message: this revision runs in monitor mode
                """.formatted(name, name), ValidatingAdmissionPolicy.class));
        played.cluster().apply(Samples.read("""
                kind: ValidatingAdmissionPolicyBinding
                apiVersion: admissionregistration.k8s.io/v1
                metadata: {name: "%s"}
                spec: {policyName: "%s", validationActions: [Deny]}
                """.formatted(name, name), ValidatingAdmissionPolicyBinding.class));
        await().atMost(Duration.ofSeconds(40)).until(() -> {
            try {
                played.edit("guarded", 3);
                return false;
            } catch (KubernetesClientException _) {
                return true;
            }
        });

        var result = played.kwctl("rollback", "ap/" + played.namespace() + "/guarded", "--to", "1");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.output()).isEmpty();
        assertThat(result.errors())
                .startsWith("Error: the cluster refused to roll back " + played.namespace() + "/guarded")
                .endsWith("this revision runs in monitor mode")
                .hasLineCount(1);
    }

    @Test
    void showsWhatAppliesInANamespace() {
        var registered = played.create("registered");
        register("registered", registered.getMetadata().getUid(), 1);
        played.report("registered", "Active", 1, 1, enforced(1));
        played.create("wanted");

        var all = played.kwctl("what-applies", played.namespace());
        assertThat(all.errors()).isEmpty();
        assertThat(all.output())
                .containsPattern("registered +protect +True +UPDATE deployments.apps +app=db")
                .containsPattern("wanted +protect +- +CREATE pods +-");

        var pods = played.kwctl("what-applies", played.namespace(), "--resource", "pods", "-o", "json");
        assertThat(YamlDocuments.parse(pods.output()).findValuesAsText("name"))
                .contains("wanted")
                .doesNotContain("registered");

        assertThat(played.kwctl("what-applies", played.namespace() + "x").errors())
                .endsWith("did you mean " + played.namespace() + "?");
    }
}
