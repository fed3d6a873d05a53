package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.NeedsTools;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A user with only the ClusterRole {@code edit} in one namespace finds out why a policy fails, and rolls it back. The
 * controller, the replica and the API server are real.
 */
@Tag("level1")
@NeedsTools({"registry", "helm"})
@RealCluster(level = Level.API)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
class PolicyOwnerIT {

    private static final String SERVER = "default";

    private TestCluster cluster;
    private Stage stage;
    private Tenant owner;
    private Path ownersKubeconfig;
    private Path directory;

    @BeforeAll
    void install(TestCluster started, @TempDir Path temporary) throws IOException {
        cluster = started;
        directory = temporary;
        stage = Stage.open(cluster, temporary, "owner-watched");
        var namespace = cluster.namespace() + "-owner";
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(namespace)
                .endMetadata()
                .build());
        owner = Tenant.withRoleEdit(cluster, namespace);
        ownersKubeconfig = owner.kubeconfig(cluster, temporary.resolve("owner.kubeconfig"));
        stage.startServer(
                Policies.server(SERVER, 1, stage.installation().registry().host()));
    }

    @AfterAll
    void uninstall() {
        owner.removePolicies();
        owner.close();
        stage.removeServers(SERVER);
        stage.close();
    }

    private ShellCommand.Outcome kwctl(Path kubeconfig, String... words) {
        var line = new ArrayList<>(List.of(Checkout.current().program("kwctl").toString()));
        line.addAll(List.of(words));
        return ShellCommand.of(line)
                .with("KUBECONFIG", kubeconfig.toString())
                .with("XDG_CACHE_HOME", directory.resolve("cache").toString())
                .with("XDG_CONFIG_HOME", directory.resolve("config").toString())
                .attempt();
    }

    private ShellCommand.Outcome asOwner(String... words) {
        return kwctl(ownersKubeconfig, words);
    }

    private AdmissionPolicy await(String name, Predicate<AdmissionPolicy> condition) {
        return cluster.await(
                owner.policy(name), policy -> policy.getStatus() != null && condition.test(policy), Stage.LIMIT);
    }

    private AdmissionPolicy awaitEnforced(String name, long generation) {
        return await(
                name, policy -> Stage.isEnforced(policy) && policy.getMetadata().getGeneration() == generation);
    }

    @Test
    void anEditorOfOneNamespaceFindsTheCauseAndRollsBackAlone() {
        owner.create("owned", SERVER, stage.module(), "first");
        awaitEnforced("owned", 1);
        owner.edit("owned", spec -> spec.put("message", "second"));
        awaitEnforced("owned", 2);
        owner.edit("owned", spec -> spec.put("module", stage.module() + "-missing"));
        var failed = await("owned", policy -> Stage.status(policy).phase() == Phase.FAILED);

        // The cause, from the policy alone.
        assertThat(Stage.status(failed).revisions())
                .extracting(
                        revision -> revision.generation() + " " + revision.wasEnforced() + " " + revision.restorable())
                .containsExactly("3 false false", "2 true true", "1 true true");
        assertThat(asOwner("status", "owned").output())
                .contains("Why it is not enforced:")
                .contains("Cannot pull the policy from the registry");
        var history = asOwner("history", "owned");
        assertThat(history.exitCode()).as("%s", history).isZero();
        assertThat(history.output())
                .containsPattern("(?m)^3 +\\w+ +protect +- +no +no +no +-$")
                .containsPattern("(?m)^2 +\\w+ +protect +[0-9a-f]{12} +yes +yes +yes +-$")
                .containsPattern("(?m)^1 +\\w+ +protect +[0-9a-f]{12} +no +yes +yes +-$");

        // A refusal lists what is kept.
        assertThat(asOwner("rollback", "owned", "--to", "9").errors())
                .contains("no revision of generation 9 is kept")
                .contains("kept generations: 3 (present, never enforced), 2, 1");

        // The owner may not read revisions, so --diff does not show settings. An administrator sees all fields.
        var seen = asOwner("rollback", "owned", "--to", "1", "--diff");
        assertThat(seen.output())
                .contains("+++ " + owner.namespace() + "/owned (AdmissionPolicy), content of generation 1")
                .contains("are not compared: you are not allowed to list policyrevisions")
                .doesNotContain("message");
        assertThat(kwctl(cluster.local().kubeconfig(), "rollback", owner.namespace() + "/owned", "--to", "1", "--diff")
                        .output())
                .contains("-  message: second", "+  message: first");
        assertThat(owner.policy("owned").get().getMetadata().getGeneration())
                .as("--diff changes nothing")
                .isEqualTo(3);

        var restored = asOwner("rollback", "owned", "--to", "1", "--wait", "--timeout", "120s");

        assertThat(restored.exitCode()).as("%s", restored).isZero();
        assertThat(restored.errors()).doesNotContain("Warning");
        var policy = awaitEnforced("owned", 4);
        assertThat(policy.getSpec().path("message").asText()).isEqualTo("first");
        assertThat(Stage.status(policy).revisions().getFirst().rollbackOf()).isEqualTo(1);
    }

    @Test
    void warnsOfAGitOpsToolThatOwnsTheSpec() {
        owner.create("in-git", SERVER, stage.module(), "first");
        awaitEnforced("in-git", 1);
        var policy = owner.policy("in-git").get();
        policy.getMetadata().setManagedFields(List.of());
        policy.getMetadata().setResourceVersion(null);
        policy.setStatus(null);
        policy.getSpec().put("message", "second");
        owner.client()
                .resource(policy)
                .patch(new PatchContext.Builder()
                        .withPatchType(PatchType.SERVER_SIDE_APPLY)
                        .withFieldManager("argocd-controller")
                        .withForce(true)
                        .build());
        awaitEnforced("in-git", 2);

        var restored = asOwner("rollback", "in-git", "--wait", "--timeout", "120s");

        assertThat(restored.exitCode()).as("%s", restored).isZero();
        assertThat(restored.errors()).contains("Warning: the spec of this policy is managed by Argo CD");
    }

    @Test
    void anEditorOfOneNamespaceMayDoNothingElse() {
        var revisions = owner.client().resources(PolicyRevision.class);
        assertThatThrownBy(() -> revisions.inNamespace(cluster.namespace()).list())
                .satisfies(this::isForbidden);
        assertThatThrownBy(() -> revisions.inNamespace(owner.namespace()).list())
                .satisfies(this::isForbidden);
        owner.create("untouched", SERVER, stage.module(), "first");
        assertThatThrownBy(() -> owner.policy("untouched")
                        .subresource("status")
                        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\": {\"phase\": \"Active\"}}"))
                .satisfies(this::isForbidden);
        assertThatThrownBy(() -> owner.client()
                        .resources(AdmissionPolicy.class)
                        .inNamespace(cluster.namespace())
                        .list())
                .satisfies(this::isForbidden);
    }

    private void isForbidden(Throwable failure) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        refused -> assertThat(refused.getCode()).isEqualTo(403));
    }
}
