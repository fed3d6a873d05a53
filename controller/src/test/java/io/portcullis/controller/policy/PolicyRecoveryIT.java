package io.portcullis.controller.policy;

import static io.portcullis.api.condition.ConditionType.ENFORCED;
import static io.portcullis.api.condition.ConditionType.POLICY_AFFECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.policy.webhook.LiveWebhook;
import io.portcullis.controller.queue.WorkQueue;
import io.portcullis.core.webhook.WebhookNames;
import io.portcullis.testkit.certificate.ServingCertificate;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** The controller repairs changes by others and incomplete work after a crash. */
@Tag("level1")
@RealCluster
class PolicyRecoveryIT {

    private static SimulatedInstallation installation;

    @BeforeAll
    static void install(TestCluster cluster) {
        installation = new SimulatedInstallation(cluster);
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    record Modification(String name, UnaryOperator<ValidatingWebhookConfiguration> change) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Modification> modifications() {
        return Stream.of(
                new Modification(
                        "path",
                        live -> edit(
                                live,
                                webhook -> webhook.editClientConfig()
                                        .editService()
                                        .withPath("/validate/elsewhere")
                                        .endService()
                                        .endClientConfig())),
                new Modification(
                        "service",
                        live -> edit(
                                live,
                                webhook -> webhook.editClientConfig()
                                        .editService()
                                        .withName("another")
                                        .endService()
                                        .endClientConfig())),
                new Modification(
                        "certificates",
                        live -> edit(
                                live,
                                webhook -> webhook.editClientConfig()
                                        .withCaBundle(SimulatedInstallation.bundle(ServingCertificate.forNames("x")))
                                        .endClientConfig())),
                new Modification(
                        "a foreign selector",
                        live -> edit(
                                live,
                                webhook -> webhook.withNewObjectSelector()
                                        .addToMatchLabels("only", "these")
                                        .endObjectSelector())),
                new Modification("failure policy", live -> edit(live, webhook -> webhook.withFailurePolicy("Ignore"))),
                new Modification(
                        "a second entry",
                        live -> new ValidatingWebhookConfigurationBuilder(live)
                                .addToWebhooks(new ValidatingWebhookBuilder(
                                                live.getWebhooks().getFirst())
                                        .withName("second.example.com")
                                        .build())
                                .build()),
                new Modification(
                        "labels and annotations",
                        live -> new ValidatingWebhookConfigurationBuilder(live)
                                .editMetadata()
                                .withLabels(Map.of())
                                .withAnnotations(Map.of())
                                .endMetadata()
                                .build()),
                new Modification(
                        "annotations",
                        live -> new ValidatingWebhookConfigurationBuilder(live)
                                .editMetadata()
                                .withAnnotations(Map.of())
                                .endMetadata()
                                .build()));
    }

    private static ValidatingWebhookConfiguration edit(
            ValidatingWebhookConfiguration live, UnaryOperator<ValidatingWebhookBuilder> change) {
        return new ValidatingWebhookConfigurationBuilder(live)
                .withWebhooks(change.apply(
                                new ValidatingWebhookBuilder(live.getWebhooks().getFirst()))
                        .build())
                .build();
    }

    @ParameterizedTest
    @MethodSource("modifications")
    void repairsAWebhookThatOthersChange(Modification modification) {
        var policy = SimulatedPolicy.active(
                installation, "drift-" + modification.name().replace(' ', '-'), installation.server(1));
        var resource = webhook(policy.id());
        var before = resource.get();

        resource.edit(modification.change());

        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            var now = resource.get();
            assertThat(now.getWebhooks()).isEqualTo(before.getWebhooks());
            assertThat(now.getMetadata().getLabels())
                    .isEqualTo(before.getMetadata().getLabels());
            assertThat(now.getMetadata().getAnnotations())
                    .isEqualTo(before.getMetadata().getAnnotations());
        });
        if (!modification.name().equals("certificates")) {
            policy.awaitEvents("WebhookDriftCorrected");
        }
        policy.awaitActive(1);
    }

    private static Resource<ValidatingWebhookConfiguration> webhook(String name) {
        return installation
                .client()
                .admissionRegistration()
                .v1()
                .validatingWebhookConfigurations()
                .withName(name);
    }

    @Test
    void recreatesADeletedWebhookAlsoDuringAnUpdate() {
        var server = installation.server(1);
        var policy = SimulatedPolicy.active(installation, "deleted-webhook", server);
        policy.edit(spec -> spec.putObject("settings").put("new", true));
        policy.await(status -> status.phase() == Phase.UPDATING);

        webhook(policy.id()).delete();

        await().until(() -> policy.webhook().isPresent());
        assertThat(policy.webhook().orElseThrow().generation()).isEqualTo(1);
        policy.awaitEvents("WebhookDriftCorrected");
        policy.awaitActive(2);
    }

    @Test
    void doesNotReportEnforcedForAWebhookThatCannotBeRepaired() {
        var policy = SimulatedPolicy.active(installation, "forbidden", installation.server(1));
        policy.await(status -> status.condition(ENFORCED).orElseThrow().isTrue());
        var ban = WebhookUpdateBan.onFailingClosed(installation.client(), policy.id());
        try {
            webhook(policy.id()).edit(live -> edit(live, webhook -> webhook.withFailurePolicy("Ignore")));

            var status = policy.await(
                    candidate -> !candidate.condition(ENFORCED).orElseThrow().isTrue());
            assertThat(status.condition(ENFORCED).orElseThrow().message()).contains("failurePolicy");
        } finally {
            ban.lift();
        }
        policy.await(status -> status.condition(ENFORCED).orElseThrow().isTrue(), Duration.ofMinutes(2));
    }

    @Test
    void logsWhyAWebhookCannotBeDeletedAndDeletesItLater() {
        var server = installation.server(1);
        var policy = SimulatedPolicy.active(installation, "undeletable", server);
        var lines = new ListAppender<ILoggingEvent>();
        var logger = (Logger) LoggerFactory.getLogger(WorkQueue.class);
        var ban = WebhookUpdateBan.onDeletion(installation.client(), policy.id());
        try {
            lines.start();
            logger.addAppender(lines);
            server.delete();

            await().untilAsserted(() -> assertThat(List.copyOf(lines.list))
                    .filteredOn(line -> line.getKeyValuePairs().toString().contains("undeletable"))
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line.getLevel()).isEqualTo(Level.WARN))
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .anySatisfy(message -> assertThat(message).contains("ban-" + policy.id(), policy.id())));
            assertThat(policy.webhook()).isPresent();
        } finally {
            logger.detachAppender(lines);
            ban.lift();
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> policy.webhook().isEmpty());
    }

    @Test
    void updatesCertificatesOfWebhooksWithoutANewRevision() {
        var policy = SimulatedPolicy.active(installation, "rotation", installation.server(1));
        var old = policy.webhook().orElseThrow().caBundle();
        var next = ServingCertificate.forNames("another");

        installation.rotateAuthority(next);
        await().until(() -> policy.webhook().orElseThrow().caBundle().equals(SimulatedInstallation.bundle(next)));
        var status = policy.await(
                candidate -> !candidate.condition(ENFORCED).orElseThrow().isTrue());
        assertThat(status.phase()).isEqualTo(Phase.ACTIVE); // no evidence with these certificates
        installation.rotateAuthority(installation.certificate());

        await().until(() -> policy.webhook().orElseThrow().caBundle().equals(old));
        policy.await(candidate -> candidate.condition(ENFORCED).orElseThrow().isTrue());
        assertThat(policy.revisions()).hasSize(1);
    }

    @Test
    void writesNothingWithoutChanges() {
        var policy = SimulatedPolicy.active(installation, "idle", installation.server(2));
        policy.await(status -> status.condition(ENFORCED).orElseThrow().isTrue());
        installation.restart(); // computes PolicyAffected at once instead of after up to half a minute
        policy.await(status -> status.condition(POLICY_AFFECTED).isPresent());

        installation.restart();

        await().during(Duration.ofSeconds(3))
                .atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(installation.writes().all())
                        .noneMatch(write -> write.contains(policy.id()) || write.endsWith("/idle/status")));
    }

    @Test
    void removesOrphanedRevisionsAndWebhooks() {
        var policy = SimulatedPolicy.active(installation, "orphan", installation.server(1));
        var webhook = Objects.requireNonNull(webhook(policy.id()).get());
        installation.stop();
        // A user removes the finalizer while no controller runs.
        var stored = policy.get();
        stored.getMetadata().setFinalizers(List.of());
        installation.client().resource(stored).update();
        policy.delete();
        installation
                .client()
                .resource(new ValidatingWebhookConfigurationBuilder(webhook)
                        .withNewMetadata()
                        .withName("not-a-policy")
                        .addToLabels(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE)
                        .endMetadata()
                        .build())
                .create();
        assertThat(policy.isGone()).isTrue();

        installation.restart();

        await().atMost(Duration.ofSeconds(15)).until(() -> policy.revisions().isEmpty());
        await().until(() -> webhook(policy.id()).get() == null);
        assertThat(webhook("not-a-policy").get())
                .as("belongs to no policy, so the controller must not delete it")
                .isNotNull();
        webhook("not-a-policy").delete();
    }

    @Test
    void removesWebhooksWithOldNamesOnceTheNewWebhookExists() {
        var server = installation.server(1);
        var old = new ValidatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .withName("clusterwide-renamed")
                .addToLabels(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE)
                .addToAnnotations(WebhookNames.POLICY_NAME, "renamed")
                .addToAnnotations(WebhookNames.POLICY_NAMESPACE, "")
                .endMetadata()
                .build();
        installation.client().resource(old).create();
        var policy = SimulatedPolicy.create(installation, "renamed", server);
        policy.awaitRevision(1);
        assertThat(webhook("clusterwide-renamed").get()).isNotNull();

        policy.awaitActive(1);
        installation.restart();

        await().atMost(Duration.ofSeconds(10))
                .until(() -> webhook("clusterwide-renamed").get() == null);
    }

    @Test
    void aPausedFormerLeaderDoesNotOverwriteTheWebhook() throws Exception {
        var policy = SimulatedPolicy.active(installation, "slept", installation.server(1));
        var writes = installation.writes();
        writes.pauseBefore("/validatingwebhookconfigurations");
        policy.edit(spec -> spec.put("message", "two"));
        policy.awaitWithServers(_ -> writes.isPaused());
        var before = writes.matching("/validatingwebhookconfigurations").size();
        var observed = new CopyOnWriteArrayList<Long>();
        try (var _ = installation.startSecondProcess()) {
            policy.awaitActive(2);
            policy.edit(spec -> spec.put("message", "three"));
            policy.awaitActive(3);
            await().until(() -> policy.findRevision(2)
                    .filter(old -> old.getSpec().enabled())
                    .isEmpty());
            try (var _ = installation
                    .client()
                    .admissionRegistration()
                    .v1()
                    .validatingWebhookConfigurations()
                    .withName(policy.id())
                    .inform(new GenerationRecorder(observed))) {
                writes.resume();
                await().until(() ->
                        writes.matching("/validatingwebhookconfigurations").size() > before);
                policy.edit(spec -> spec.put("message", "four"));
                policy.awaitActive(4);
                await().until(() -> observed.contains(4L));
            }
        }
        assertThat(observed).containsOnly(3L, 4L);
        policy.delete();
    }

    @Test
    void aPausedFormerLeaderDoesNotOverwriteTheStatus() throws Exception {
        var policy = SimulatedPolicy.active(installation, "talked", installation.server(1));
        var writes = installation.writes();
        writes.pauseBefore("/clusteradmissionpolicies/talked/status");
        policy.edit(spec -> spec.put("message", "two"));
        policy.awaitWithServers(_ -> writes.isPaused());
        var before = writes.matching("/talked/status").size();
        var observed = new CopyOnWriteArrayList<PolicyStatus>();
        try (var _ = installation.startSecondProcess()) {
            policy.awaitActive(2);
            try (var _ = policy.watch(observed::add)) {
                writes.resume();
                await().until(() -> writes.matching("/talked/status").size() > before);
                policy.edit(spec -> spec.put("message", "three"));
                policy.awaitActive(3);
                await().until(() -> observed.stream().anyMatch(status -> status.activeGeneration() == 3));
            }
        }
        assertThat(observed).noneMatch(status -> status.activeGeneration() < 2);
        policy.delete();
    }

    /** Records the generations that a webhook routes to. */
    private record GenerationRecorder(List<Long> observed)
            implements ResourceEventHandler<ValidatingWebhookConfiguration> {

        @Override
        public void onAdd(ValidatingWebhookConfiguration webhook) {
            observed.add(new LiveWebhook(webhook).generation());
        }

        @Override
        public void onUpdate(ValidatingWebhookConfiguration before, ValidatingWebhookConfiguration after) {
            onAdd(after);
        }

        @Override
        public void onDelete(ValidatingWebhookConfiguration webhook, boolean unknown) {}
    }

    @Test
    void recoversFromACrashBetweenAnyTwoWrites() {
        int last = 0;
        for (int writes = 0; writes < 30; writes++) {
            var server = installation.server(1);
            var name = "crash-" + writes;
            installation.writes().crashAfter(writes);
            var policy = SimulatedPolicy.create(installation, name, server);
            runUntilCrashOrEnd(policy, server);
            boolean hasCrashed = installation.writes().hasCrashed();
            installation.restart();

            policy.awaitActive(policy.get().getMetadata().getGeneration());
            assertComplete(policy);
            policy.delete();
            await().until(policy::isGone);
            if (!hasCrashed) {
                last = writes;
                break;
            }
        }
        assertThat(last)
                .as("number of writes of a creation and an update; each one was tried")
                .isBetween(12, 29);
    }

    /** Runs a creation and an update that changes the webhook kind, until the controller crashes or completes. */
    private static void runUntilCrashOrEnd(SimulatedPolicy policy, SimulatedServer server) {
        long until = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        boolean isEdited = false;
        while (System.nanoTime() < until && !installation.writes().hasCrashed()) {
            server.runStep();
            var status = policy.get().getStatus();
            long active = status == null ? 0 : status.activeGeneration();
            if (active == 1 && !isEdited) {
                policy.edit(spec -> spec.put("mutating", true));
                isEdited = true;
            }
            if (active == 2
                    && policy.findRevision(1)
                            .filter(old -> old.getSpec().enabled())
                            .isEmpty()) {
                return;
            }
        }
    }

    private static void assertComplete(SimulatedPolicy policy) {
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            assertThat(policy.webhooks()).hasSize(1);
            assertThat(policy.revisions().stream()
                            .filter(revision -> revision.getSpec().enabled()))
                    .hasSize(1);
            assertThat(policy.revisions())
                    .extracting(revision -> revision.getSpec().policyGeneration())
                    .doesNotHaveDuplicates();
            assertThat(policy.revisions()).allMatch(PolicyRecoveryIT::isConsistent);
        });
    }

    private static boolean isConsistent(PolicyRevision revision) {
        boolean wasActive = revision.statusOrEmpty().activatedAt() != null;
        return !revision.getSpec().active() || (wasActive && revision.getSpec().enabled());
    }
}
