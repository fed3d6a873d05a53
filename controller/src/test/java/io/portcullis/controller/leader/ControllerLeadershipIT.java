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
 * Leader election between controllers whose wall clocks differ by one hour, because one clock was set. The test writes
 * the Lease of the other controller, with the times of that controller's clock.
 */
@Tag("level1")
@RealCluster(level = Level.API)
class ControllerLeadershipIT {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int LEASE_SECONDS = 15;
    /** More renewals than the candidate needs for two attempts to acquire the Lease. */
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

    /**
     * Creates the Lease of the other controller.
     *
     * @param clock how far the clock of the other controller is ahead of ours
     */
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
        edit(current -> new LeaseBuilder(current)
                .editSpec()
                .withRenewTime(now(clock))
                .endSpec()
                .build());
    }

    /** Retries on conflict, when the candidate wrote in between. */
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
    void doesNotAcquireARenewedLeaseWhenOurClockIsAnHourAhead() {
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
    void acquiresAnExpiredLeaseWhenOurClockIsAnHourBehind() {
        createLease(HOUR);
        try (var _ = candidate()) {
            await().atMost(LIMIT).until(() -> elected.get() == 1);
            assertThat(holder()).isEqualTo("we");
        }
        assertThat(holder()).as("released").isEmpty();
        assertThat(lost).hasValue(0);
    }

    @Test
    void stopsLeadingWhenAnotherControllerHoldsTheLease() {
        try (var _ = candidate()) {
            await().atMost(LIMIT).until(() -> elected.get() == 1);
            edit(current -> new LeaseBuilder(current)
                    .editSpec()
                    .withHolderIdentity("other")
                    .withLeaseTransitions(current.getSpec().getLeaseTransitions() + 1)
                    .endSpec()
                    .build());

            await().atMost(LIMIT).until(() -> lost.get() == 1);
        }
        assertThat(holder()).as("another holder's lease is not released").isEqualTo("other");
    }
}
