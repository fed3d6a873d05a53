package io.portcullis.controller.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Which of several controllers leads when their wall clocks differ by an hour, because one of them was set. The lease of
 * the other controller is written here, with the times of its clock.
 */
@Tag("level1")
@RealCluster(level = Level.API)
class ControllerLeadershipIT {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int LEASE_SECONDS = 15;
    /** More than two attempts to lead are made within. */
    private static final int RENEWALS = 8;

    private final TestCluster cluster;
    private final AtomicInteger elected = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();

    ControllerLeadershipIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    private Resource<Lease> lease() {
        return cluster.client().leases().inNamespace(cluster.namespace()).withName(ControllerLeadership.LEASE);
    }

    private ControllerLeadership candidate() {
        return new ControllerLeadership(
                cluster.client(), cluster.namespace(), "we", elected::incrementAndGet, lost::incrementAndGet);
    }

    /** @param clock by how much the clock of the other controller is ahead of ours */
    private void createLease(Duration clock) {
        cluster.client()
                .resource(new LeaseBuilder()
                        .withNewMetadata()
                        .withName(ControllerLeadership.LEASE)
                        .withNamespace(cluster.namespace())
                        .endMetadata()
                        .withNewSpec()
                        .withHolderIdentity("other")
                        .withLeaseDurationSeconds(LEASE_SECONDS)
                        .withLeaseTransitions(3)
                        .withAcquireTime(now(clock))
                        .withRenewTime(now(clock))
                        .endSpec()
                        .build())
                .create();
    }

    private void renew(Duration clock) {
        edit(held -> new LeaseBuilder(held)
                .editSpec()
                .withRenewTime(now(clock))
                .endSpec()
                .build());
    }

    /** Again when the candidate wrote in between. */
    private void edit(UnaryOperator<Lease> change) {
        await().atMost(LIMIT)
                .ignoreExceptionsMatching(
                        failure -> failure instanceof KubernetesClientException refused && refused.getCode() == 409)
                .until(() -> lease().edit(change), Objects::nonNull);
    }

    private static ZonedDateTime now(Duration clock) {
        return ZonedDateTime.now(ZoneOffset.UTC).plus(clock).truncatedTo(ChronoUnit.MICROS);
    }

    private String holder() {
        return Objects.requireNonNull(lease().get()).getSpec().getHolderIdentity();
    }

    @BeforeEach
    @AfterEach
    void removeLease() {
        lease().delete();
    }

    @Test
    void takesNoLeaseThatIsRenewedThoughOurClockIsSetForwardByAnHour() {
        createLease(HOUR.negated());
        var renewals = new AtomicInteger();
        try (var _ = candidate()) {
            await().atMost(LIMIT).pollInterval(Duration.ofSeconds(1)).until(() -> {
                renew(HOUR.negated());
                return renewals.incrementAndGet() == RENEWALS;
            });
            assertThat(elected).as("two controllers would act").hasValue(0);
            assertThat(holder()).isEqualTo("other");
        }
    }

    @Test
    void takesALeaseThatIsNotRenewedThoughOurClockIsSetBackByAnHour() {
        createLease(HOUR);
        try (var _ = candidate()) {
            await().atMost(LIMIT).until(() -> elected.get() == 1);
            assertThat(holder()).isEqualTo("we");
        }
        assertThat(holder()).as("given back").isEmpty();
        assertThat(lost).hasValue(0);
    }

    @Test
    void endsToLeadWhenAnotherControllerHasTakenTheLease() {
        try (var _ = candidate()) {
            await().atMost(LIMIT).until(() -> elected.get() == 1);
            edit(held -> new LeaseBuilder(held)
                    .editSpec()
                    .withHolderIdentity("other")
                    .withLeaseTransitions(held.getSpec().getLeaseTransitions() + 1)
                    .endSpec()
                    .build());

            await().atMost(LIMIT).until(() -> lost.get() == 1);
        }
        assertThat(holder()).as("not ours to give back").isEqualTo("other");
    }
}
