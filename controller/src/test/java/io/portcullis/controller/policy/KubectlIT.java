package io.portcullis.controller.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.Phase;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.NeedsTools;
import io.portcullis.testkit.tools.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The information that users get from kubectl alone. */
@Tag("level1")
@RealCluster
@NeedsTools("kubectl")
class KubectlIT {

    private static final String POLICY = "clusteradmissionpolicy/story";
    private static final String OWN_POLICY = "admissionpolicy/own-story";
    private static final String OWNER = "owner";
    private static final Set<String> AGGREGATED =
            Set.of("rbac.authorization.k8s.io/aggregate-to-view", "rbac.authorization.k8s.io/aggregate-to-edit");

    private static SimulatedInstallation installation;
    private static TestCluster cluster;

    @BeforeAll
    static void install(TestCluster testCluster) {
        cluster = testCluster;
        installation = new SimulatedInstallation(testCluster);
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    private static ShellCommand kubectl(String... words) {
        var all = new ArrayList<>(List.of(
                Tools.current().path("kubectl").toString(),
                "--kubeconfig",
                cluster.local().kubeconfig().toString()));
        all.addAll(List.of(words));
        return ShellCommand.of(all);
    }

    /** The owner has the role edit in the namespace of the policy, and no other rights. */
    @Test
    void theOwnerOfANamespaceFindsOutWhyAPolicyFails() throws IOException {
        var namespace = "owned-" + cluster.namespace();
        grantEdit(namespace);
        var server = installation.server(1);
        var policy = SimulatedPolicy.namespaced(installation, namespace, "own-story", server, _ -> {});
        policy.awaitActive(1);

        asOwner(
                        "patch",
                        OWN_POLICY,
                        "-n",
                        namespace,
                        "--type=merge",
                        "--patch={\"spec\": {\"settings\": {\"wrong\": true}}}")
                .run();
        policy.awaitRevision(2);
        server.lead(policy.revision(2), Reason.INVALID_SETTINGS, "the key wrong is not known");
        policy.await(status -> status.phase() == Phase.FAILED);
        policy.awaitEvents("InitializationFailed");

        assertThat(asOwner("get", OWN_POLICY, "-n", namespace).run()).contains("pending", "Failed");
        assertThat(asOwner(
                                "get",
                                OWN_POLICY,
                                "-n",
                                namespace,
                                "-o",
                                "jsonpath={.status.conditions[?(@.reason=='InvalidSettings')].message}")
                        .run())
                .contains("the key wrong is not known");
        assertThat(asOwner("describe", OWN_POLICY, "-n", namespace).run())
                .contains("generation 1 is enforced instead of 2")
                .containsPattern("Warning\\s+InitializationFailed");
        for (var resource : List.of("pods", "pods/log", "configmaps", "policyrevisions.policies.kubewarden.io")) {
            assertThat(asOwner("auth", "can-i", "get", resource, "-n", installation.namespace())
                            .attempt()
                            .output())
                    .as(resource)
                    .isEqualToIgnoringWhitespace("no");
        }
    }

    private static ShellCommand asOwner(String... words) {
        var all = new ArrayList<>(List.of(words));
        all.add("--as=" + OWNER);
        return kubectl(all.toArray(String[]::new));
    }

    /**
     * Grants what the role edit consists of: the roles of Kubernetes and of our chart that are aggregated into it. No
     * controller aggregates them in this cluster.
     */
    private static void grantEdit(String namespace) throws IOException {
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(namespace)
                .endMetadata()
                .build());
        bind(namespace, "system:aggregate-to-view");
        bind(namespace, "system:aggregate-to-edit");
        var template =
                Files.readString(Checkout.current().root().resolve("charts/portcullis/templates/user-rbac.yaml"));
        for (var text : template.replaceAll("(?m)^.*\\{\\{.*$", "").split("(?m)^---$", -1)) {
            var role = Serialization.unmarshal(text, ClusterRole.class);
            var labels = role.getMetadata().getLabels();
            if (labels.keySet().stream().anyMatch(AGGREGATED::contains)) {
                // Another test may install the chart, with roles of the original names.
                role.getMetadata().setName("kubectl-" + role.getMetadata().getName());
                cluster.apply(role);
                bind(namespace, role.getMetadata().getName());
            }
        }
    }

    private static void bind(String namespace, String role) {
        cluster.apply(new RoleBindingBuilder()
                .withNewMetadata()
                .withName(role.replace(':', '-'))
                .withNamespace(namespace)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", role)
                .addNewSubject("rbac.authorization.k8s.io", "User", OWNER, "")
                .build());
    }

    @Test
    void kubectlShowsAFailedUpdate() {
        var server = installation.server(1);
        var policy = SimulatedPolicy.active(installation, "story", server);

        kubectl("wait", "--for=condition=Enforced", POLICY, "--timeout=20s").run();
        kubectl("wait", "--for=jsonpath={.status.policyStatus}=active", POLICY, "--timeout=20s")
                .run();
        assertThat(kubectl("get", POLICY).run().lines().toList())
                .satisfiesExactly(
                        header -> assertThat(header).contains("POLICY SERVER", "MODE", "STATUS", "PHASE", "AGE"),
                        row -> assertThat(row).contains(server.name(), "protect", "active", "Active"));
        assertThat(kubectl("get", POLICY, "-o", "wide").run().lines().toList())
                .satisfiesExactly(
                        header -> assertThat(header).contains("ACTIVEGEN", "ENFORCED"),
                        row -> assertThat(row).contains("True"));

        policy.edit(spec -> spec.putObject("settings").put("wrong", true));
        policy.awaitRevision(2);
        server.lead(policy.revision(2), Reason.INVALID_SETTINGS, "the key wrong is not known");
        policy.await(status -> status.phase() == Phase.FAILED);
        policy.awaitEvents("InitializationFailed", "PolicyUpdating");

        assertThat(kubectl("get", POLICY).run()).contains("pending", "Failed");
        assertThat(kubectl("wait", "--for=condition=Enforced", POLICY, "--timeout=1s")
                        .attempt()
                        .succeeded())
                .isFalse();
        var description = kubectl("describe", POLICY).run();
        assertThat(description)
                .contains("Reason:", "PartiallyEnforced")
                .contains("generation 1 is enforced instead of 2")
                .contains("ClusterAdmissionPolicy is invalid");
        assertThat(description.substring(description.indexOf("Events:")))
                .contains("RevisionCreated", "PolicyActivated", "PolicyUpdating")
                .containsPattern("Warning\\s+InitializationFailed")
                .contains("InvalidSettings: the key wrong is not known");
    }
}
