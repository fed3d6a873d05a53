package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.tools.NeedsTools;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Without changes by users there are no writes, except to renew certificates. */
@Tag("level1")
@NeedsTools({"registry", "helm"})
@RealCluster(level = Level.API)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
class UpkeepIT {

    private static final Duration LIMIT = Duration.ofMinutes(4);
    /** The bar; {@code ./portcullis bench lifecycle} looks as long, at thousands of policies. */
    private static final Duration IDLE = Duration.ofSeconds(60);

    private static final String POLICY = "kept-up";
    private static final String SERVER = "upkeep";

    private TestCluster cluster;
    /** Where the pods of this test are asked for. */
    private String watched;

    private Policies policies;
    private Installation installation;
    private Path files;

    @BeforeAll
    void install(TestCluster testCluster, @TempDir Path directory) {
        cluster = testCluster;
        watched = cluster.namespace() + "-watched";
        files = directory;
        policies = new Policies(cluster.client());
        installation = Installation.start(cluster, directory, List.of("certificateSettlingSeconds=3"));
        var module = installation.push("privileged-pods", "v1");
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(watched)
                .endMetadata()
                .build());
        cluster.apply(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("default")
                .withNamespace(watched)
                .endMetadata()
                .build());
        cluster.client()
                .resource(Policies.server(SERVER, 2, installation.registry().host()))
                .create();
        cluster.client()
                .resource(Policies.patient(Policies.privilegedPods(POLICY, SERVER, module, "no", watched)))
                .create();
        cluster.await(
                policies.get(POLICY),
                found -> found.getStatus() != null
                        && found.getStatus()
                                .condition(ConditionType.ENFORCED)
                                .filter(Condition::isTrue)
                                .isPresent(),
                LIMIT);
    }

    @AfterAll
    void uninstall() {
        policies.get(POLICY).delete();
        cluster.client().resources(PolicyServer.class).withName(SERVER).delete();
        await().atMost(LIMIT)
                .until(() -> cluster.client()
                                .resources(PolicyServer.class)
                                .withName(SERVER)
                                .get()
                        == null);
        installation.close();
    }

    /** Leases are renewed, which is their purpose; {@link ApiWrites} counts everything else. */
    @Test
    void writesNothingWithoutChanges() {
        // Something may still settle from the start; then a whole window must pass without a write.
        var last = new Quiet(ApiWrites.now(cluster.client()));
        await().atMost(LIMIT)
                .pollInterval(Duration.ofSeconds(1))
                .during(IDLE)
                .untilAsserted(() -> assertThat(last.writesSinceLastLook()).isEmpty());
    }

    /** Counts from one look to the next, so that a window without writes is one in which no look saw any. */
    private final class Quiet {

        private ApiWrites seen;

        Quiet(ApiWrites seen) {
            this.seen = seen;
        }

        Map<String, Long> writesSinceLastLook() {
            var now = ApiWrites.now(cluster.client());
            var since = now.since(seen);
            seen = now;
            return since.counts();
        }
    }

    @Test
    void everyCertificateIsReplacedUnderLoadAndNoRequestIsLost() throws InterruptedException {
        var certificates = new InstalledCertificates(cluster, SERVER, files);
        var load = Load.start(installation.requests(watched), 10);

        var ending = certificates.replaceAll(LIMIT);

        // Both directions still work with what is in use now: policies are judged, ours are checked by our own webhook.
        policies.edit(POLICY, spec -> spec.put("message", "still no"));
        cluster.await(
                policies.get(POLICY),
                policy -> policy.getStatus() != null
                        && policy.getStatus().activeGeneration()
                                == policy.getMetadata().getGeneration()
                        && policy.getStatus()
                                .condition(ConditionType.ENFORCED)
                                .filter(Condition::isTrue)
                                .isPresent(),
                LIMIT);
        await("enough requests").atMost(LIMIT).until(() -> load.answered() > 60);
        assertThat(load.finish()).isEmpty();
        assertThat(caBundle())
                .contains(InstalledCertificates.pem(certificates.authority()), InstalledCertificates.pem(ending));
    }

    @Test
    void aControllerWithoutItsLeaseEndsAndAnotherGoesOn() {
        try (var next = installation.anotherController()) {
            var leases =
                    cluster.client().leases().inNamespace(cluster.namespace()).withName("a4ddbf36.kubewarden.io");
            Policies.edit(leases, lease -> {
                lease.getSpec().setHolderIdentity("a thief");
                lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC));
            });

            assertThat(installation.controller().awaitExit(LIMIT)).isEqualTo(1);
            assertThat(installation.controller().output())
                    .contains("the lease of the leader could not be renewed in time");
            // The thief does not renew; the other controller takes over when the lease has run out.
            await().atMost(LIMIT)
                    .until(() -> !"a thief".equals(leases.get().getSpec().getHolderIdentity()));
            var service = cluster.client()
                    .services()
                    .inNamespace(cluster.namespace())
                    .withName("policy-server-" + SERVER + "-pods");
            service.delete();
            await().atMost(LIMIT).until(() -> service.get() != null);
            assertThat(next.isAlive()).isTrue();
        } finally {
            installation.restartController();
        }
    }

    private String caBundle() {
        return InstalledCertificates.pem(cluster.client()
                .admissionRegistration()
                .v1()
                .validatingWebhookConfigurations()
                .withName("kw.cap." + POLICY)
                .get()
                .getWebhooks()
                .getFirst()
                .getClientConfig()
                .getCaBundle());
    }
}
