package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.tools.NeedsTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the installation of the charts on a cluster with nodes to their end: one story, since each step needs the last. */
@Tag("level3")
@NeedsTools("helm")
@RealCluster(level = Level.NODES)
class InstallIT {

    private static final String POLICY = "no-privileged-pods";
    /** Of the chart with the defaults. */
    private static final String RECOMMENDED = "no-privileged-pod";

    private static final String OWN_SERVER = "own";

    private final TestCluster cluster;
    private final Policies policies;
    private final String watched;

    InstallIT(TestCluster cluster) {
        this.cluster = cluster;
        this.policies = new Policies(cluster.client());
        this.watched = cluster.namespace() + "-watched";
    }

    @Test
    void installsEnforcesUpdatesUnderLoadAndLeavesNoWebhookBehind(@TempDir Path directory) throws Exception {
        try (var installation =
                HelmInstallation.prepare(cluster, directory, watched, "controller", "policy-server", "audit-scanner")) {
            var audit = new CronJobAudit(cluster, watched);
            install(installation, HelmInstallation.charts(), "info");
            audit.makePrivilegedPod("from-before");
            cluster.client()
                    .resource(Policies.patient(
                            Policies.privilegedPods(POLICY, "default", installation.module(), "first", watched)))
                    .create();
            awaitEnforced(POLICY, 1);
            awaitEnforced(RECOMMENDED, 1);
            var requests = new Requests(cluster.client(), watched);
            assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
            assertThat(requests.ordinaryPod()).isEqualTo(new Answer.Allowed());
            // The recommended policy only watches.
            assertThat(new Requests(cluster.client(), "default").privilegedPod())
                    .isEqualTo(new Answer.Allowed());

            auditFinds(audit, "from-before");

            var load = Load.start(requests, 10);
            policies.edit(POLICY, spec -> spec.put("message", "second"));
            awaitEnforced(POLICY, 2);
            assertThat(installation.restarts()).isZero();
            upgrade(installation, directory.resolve("charts"));
            assertThat(load.finish()).isEmpty();
            assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);

            createOwnServer(installation);
            uninstallWithoutAController(installation);
            assertThat(HelmInstallation.webhooks(cluster)).isEmpty();
            assertThat(requests.privilegedPod()).isEqualTo(new Answer.Allowed());
            assertThat(Stage.status(policies.get(POLICY).require()).condition(ConditionType.POLICY_ACTIVE))
                    .hasValueSatisfying(active -> assertThat(active.reason()).isEqualTo(Reason.UNINSTALLED.wireName()));
            assertThat(cluster.client().resources(PolicyServer.class).list().getItems())
                    .extracting(server -> server.getMetadata().getName())
                    .containsExactly(OWN_SERVER);
            assertThat(objectsOfServers()).isEmpty();
        }
    }

    /** A PolicyServer that no chart made. */
    private void createOwnServer(HelmInstallation installation) {
        cluster.client()
                .resource(Policies.server(OWN_SERVER, 1, installation.host()))
                .create();
        await().atMost(HelmInstallation.LIMIT)
                .until(() -> objectsOfServers().contains("StatefulSet policy-server-" + OWN_SERVER)
                        && objectsOfServers().contains("Lease policy-server-" + OWN_SERVER));
    }

    private List<String> objectsOfServers() {
        var namespace = cluster.namespace();
        var client = cluster.client();
        return Stream.<List<? extends HasMetadata>>of(
                        client.apps()
                                .statefulSets()
                                .inNamespace(namespace)
                                .list()
                                .getItems(),
                        client.services().inNamespace(namespace).list().getItems(),
                        client.secrets().inNamespace(namespace).list().getItems(),
                        client.rbac().roles().inNamespace(namespace).list().getItems(),
                        client.leases().inNamespace(namespace).list().getItems())
                .flatMap(List::stream)
                .map(object -> object.getKind() + " " + object.getMetadata().getName())
                .filter(name -> name.contains(" policy-server-"))
                .toList();
    }

    private static void auditFinds(CronJobAudit audit, String pod) {
        var log = audit.run();
        assertThat(log).contains("audit finished").doesNotContain("\"WARN\"");
        // Our policy and the recommended one both judge it.
        assertThat(audit.report(pod).at("/summary/fail").asInt()).as(log).isPositive();
    }

    /** All three charts, in order; the same commands install and upgrade. */
    private static void install(HelmInstallation installation, Path charts, String logLevel) {
        installation.installController(
                charts,
                "image.repository=localhost/portcullis/controller,image.tag=dev",
                "auditScanner.image.repository=localhost/portcullis/audit-scanner,auditScanner.image.tag=dev",
                "auditScanner.cronJob.schedule=0 0 1 1 *",
                "logLevel=" + logLevel);
        installation.installDefaults(
                charts,
                "policyServer.image.repository=localhost/portcullis/policy-server,policyServer.image.tag=dev",
                "policyServer.replicaCount=2",
                "policyServer.env[0].name=KUBEWARDEN_LOG_LEVEL,policyServer.env[0].value=" + logLevel,
                "policyServer.insecureSources[0]=" + installation.host().replace(".", "\\."),
                // The server of modules has one policy only.
                "recommendedPolicies.enabled=true,recommendedPolicies.userGroupPolicy=null",
                "recommendedPolicies.allowPrivilegeEscalationPolicy=null,recommendedPolicies.hostNamespacePolicy=null",
                "recommendedPolicies.hostPathsPolicy=null,recommendedPolicies.capabilitiesPolicy=null",
                "recommendedPolicies.defaultPoliciesRegistry=http://" + installation.host());
    }

    /** Charts of the next version with other settings: the controller and every replica are replaced. */
    private void upgrade(HelmInstallation installation, Path charts) throws IOException {
        var before = running();
        copy(HelmInstallation.charts(), charts);
        for (var chart : List.of("portcullis-crds", "portcullis", "portcullis-defaults")) {
            var file = charts.resolve(chart).resolve("Chart.yaml");
            Files.writeString(file, Files.readString(file).replaceFirst("(?m)^version: .*$", "version: 99.0.0"));
        }
        install(installation, charts, "debug");

        await().atMost(HelmInstallation.LIMIT)
                .until(() -> running().size() == before.size()
                        && running().stream().noneMatch(before::contains)
                        && isSettled());
        awaitEnforced(POLICY, 2);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    /** Pods of the controller and of replicas, not of jobs that have ended. */
    private Set<String> running() {
        return cluster.client().pods().inNamespace(cluster.namespace()).list().getItems().stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null && isRunning(pod))
                .map(pod -> pod.getMetadata().getUid())
                .collect(Collectors.toSet());
    }

    private static boolean isRunning(Pod pod) {
        return pod.getStatus() != null && "Running".equals(pod.getStatus().getPhase());
    }

    private boolean isSettled() {
        var set = cluster.client()
                .apps()
                .statefulSets()
                .inNamespace(cluster.namespace())
                .withName("policy-server-default")
                .get();
        return set != null
                && set.getStatus() != null
                && Integer.valueOf(2).equals(set.getStatus().getReadyReplicas())
                && Integer.valueOf(2).equals(set.getStatus().getUpdatedReplicas());
    }

    /** The controller is dead, so its chart goes first: without its webhooks, the API server can delete the rest. */
    private void uninstallWithoutAController(HelmInstallation installation) {
        var controller = cluster.client()
                .apps()
                .deployments()
                .inNamespace(cluster.namespace())
                .withName("kubewarden-controller");
        controller.scale(0);
        await().atMost(HelmInstallation.LIMIT)
                .until(() -> cluster.client()
                        .pods()
                        .inNamespace(cluster.namespace())
                        .withLabel("app.kubernetes.io/name", "kubewarden-controller")
                        .list()
                        .getItems()
                        .isEmpty());
        installation.uninstallController();
        installation.uninstallDefaults();
    }

    private void awaitEnforced(String name, long generation) {
        cluster.await(
                policies.get(name),
                policy -> Stage.isEnforced(policy) && policy.getMetadata().getGeneration() == generation,
                HelmInstallation.LIMIT);
    }
}
