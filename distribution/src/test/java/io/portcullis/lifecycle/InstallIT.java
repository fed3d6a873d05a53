package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.Command;
import io.portcullis.testkit.tools.NeedsTools;
import io.portcullis.testkit.tools.Tools;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The charts on a cluster with nodes: real helm, our images, the shipped roles, Pod Security "restricted". */
@Tag("level3")
@NeedsTools("helm")
@RealCluster(level = Level.NODES)
class InstallIT {

    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String NAMESPACE = "kubewarden";
    private static final String WATCHED = "install-watched";
    private static final String POLICY = "no-privileged-pods";

    private final TestCluster cluster;
    private final Policies policies;

    InstallIT(TestCluster cluster) {
        this.cluster = cluster;
        this.policies = new Policies(cluster.client());
    }

    @Test
    void installsEnforcesUpdatesUnderLoadAndLeavesNoWebhookBehind(@TempDir Path directory) throws Exception {
        for (var program : List.of("controller", "policy-server")) {
            var image = directory.resolve(program + ".tar");
            Command.of(Checkout.current().imageScript().toString(), "build", program, image.toString())
                    .within(LIMIT)
                    .run();
            cluster.local().loadImage(image);
        }
        namespace(NAMESPACE, "restricted");
        namespace(WATCHED, "privileged");
        var modules = serveModules();
        try {
            helm("upgrade", "--install", "portcullis-crds", chart("portcullis-crds"), "--wait");
            helm(
                    "upgrade",
                    "--install",
                    "portcullis",
                    chart("portcullis"),
                    "--set",
                    "image.repository=localhost/portcullis/controller",
                    "--set",
                    "image.tag=dev",
                    "--set",
                    "auditScanner.enable=false",
                    "--wait",
                    "--timeout",
                    "5m");
            var host =
                    cluster.local().hostAddress() + ":" + modules.getAddress().getPort();
            cluster.client().resource(Policies.server("default", 2, host)).create();
            cluster.client()
                    .resource(Policies.privilegedPods(
                            POLICY, "default", "http://" + host + "/privileged-pods.wasm", "first", WATCHED))
                    .create();
            awaitEnforced(1);
            var requests = new Requests(cluster.client(), WATCHED);
            assertThat(requests.privilegedPod()).isInstanceOf(Answer.Denied.class);
            assertThat(requests.ordinaryPod()).isEqualTo(new Answer.Allowed());

            var load = Load.start(requests, 10);
            policies.edit(POLICY, spec -> spec.put("message", "second"));
            awaitEnforced(2);
            assertThat(load.finish()).isEmpty();
            assertThat(restarts()).isZero();

            helm("uninstall", "portcullis", "--wait", "--timeout", "5m");
            assertThat(webhooks()).isEmpty();
            assertThat(requests.privilegedPod()).isEqualTo(new Answer.Allowed());
            assertThat(policies.get(POLICY).get()).isNotNull();
            assertThat(cluster.client().resources(PolicyServer.class).list().getItems())
                    .isEmpty();
        } finally {
            modules.stop(0);
            policies.get(POLICY).delete();
        }
    }

    private void namespace(String name, String podSecurity) {
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels("pod-security.kubernetes.io/enforce", podSecurity)
                .endMetadata()
                .build());
    }

    /** A web server on this machine that pods can reach. */
    private HttpServer serveModules() throws IOException {
        var module = Files.readAllBytes(Checkout.current().root().resolve("policies/privileged-pods/policy.wasm"));
        var server = HttpServer.create(new InetSocketAddress(cluster.local().hostAddress(), 0), 0);
        server.createContext("/privileged-pods.wasm", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, module.length);
                exchange.getResponseBody().write(module);
            }
        });
        server.start();
        return server;
    }

    private static String chart(String name) {
        return Checkout.current().root().resolve("charts").resolve(name).toString();
    }

    private void helm(String... words) {
        var all = new ArrayList<>(List.of(
                Tools.current().ensured("helm").toString(),
                "--kubeconfig",
                cluster.local().kubeconfig().toString(),
                "--namespace",
                NAMESPACE));
        all.addAll(List.of(words));
        Command.of(all).within(LIMIT.plusMinutes(1)).run();
    }

    private void awaitEnforced(long generation) {
        cluster.await(
                policies.get(POLICY),
                policy -> isEnforced(policy) && policy.getMetadata().getGeneration() == generation,
                LIMIT);
    }

    private static boolean isEnforced(ClusterAdmissionPolicy policy) {
        var status = policy.getStatus();
        return status != null
                && status.observedGeneration() == policy.getMetadata().getGeneration()
                && status.condition(ConditionType.ENFORCED)
                        .filter(Condition::isTrue)
                        .isPresent();
    }

    private int restarts() {
        return cluster.client().pods().inNamespace(NAMESPACE).list().getItems().stream()
                .map(Pod::getStatus)
                .flatMap(status -> status.getContainerStatuses().stream())
                .mapToInt(container -> container.getRestartCount())
                .sum();
    }

    private List<String> webhooks() {
        var admission = cluster.client().admissionRegistration().v1();
        var names = new ArrayList<String>();
        admission
                .validatingWebhookConfigurations()
                .list()
                .getItems()
                .forEach(webhook -> names.add(webhook.getMetadata().getName()));
        admission
                .mutatingWebhookConfigurations()
                .list()
                .getItems()
                .forEach(webhook -> names.add(webhook.getMetadata().getName()));
        return names;
    }
}
