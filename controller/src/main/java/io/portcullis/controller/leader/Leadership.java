package io.portcullis.controller.leader;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease by which one of several controllers is the leader. Who loses it has to end: what it has under way cannot be
 * called back, and the next leader is already at work.
 */
public final class Leadership implements AutoCloseable {

    /** Upstream's, so that of old and new controllers only one acts during a migration. */
    private static final String LEASE = "a4ddbf36.kubewarden.io";

    private static final Duration LEASE_DURATION = Duration.ofSeconds(15);
    private static final Duration RENEW_DEADLINE = Duration.ofSeconds(10);
    private static final Duration RETRY_PERIOD = Duration.ofSeconds(2);
    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    private final CompletableFuture<?> campaign;
    private final Runnable onLost;
    private volatile boolean closing;

    /**
     * Stands for election from now on.
     *
     * @param identity of this process among its rivals
     * @param onElected called once, on a thread of its own
     * @param onLost called when the lease could not be renewed in time
     */
    public Leadership(KubernetesClient client, String namespace, String identity, Runnable onElected, Runnable onLost) {
        this.onLost = onLost;
        var config = new LeaderElectionConfigBuilder()
                .withName("controller")
                .withLock(new LeaseLock(namespace, LEASE, identity))
                .withLeaseDuration(LEASE_DURATION)
                .withRenewDeadline(RENEW_DEADLINE)
                .withRetryPeriod(RETRY_PERIOD)
                .withReleaseOnCancel(true)
                .withLeaderCallbacks(new LeaderCallbacks(
                        () -> Thread.ofVirtual().name("elected").start(onElected), this::stopped, Leadership::changed))
                .build();
        campaign = client.leaderElector().withConfig(config).build().start();
    }

    /** @param leader null when nobody is */
    private static void changed(@Nullable String leader) {
        if (leader != null) {
            log.atInfo().addKeyValue("leader", leader).log("leader elected");
        }
    }

    private void stopped() {
        if (!closing) {
            onLost.run();
        }
    }

    /** Gives the lease up, so that another one can take over at once. */
    @Override
    public void close() {
        closing = true;
        campaign.cancel(true);
    }
}
