package io.portcullis.controller.leader;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.process.leadership.Leadership;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The leader election between several controllers, by a lease. A controller that loses the lease must exit: its writes
 * in flight cannot be stopped, and the next leader is already active.
 */
public final class ControllerLeadership implements AutoCloseable {

    /** Upstream's lease name, so that only one of old and new controllers acts during a migration. */
    static final String LEASE = "a4ddbf36.kubewarden.io";

    private final Leadership leadership;

    /**
     * Joins the election.
     *
     * @param identity of this process in the election
     * @param onElected called once, on a separate thread
     * @param onLost called when the lease could not be renewed in time, or another controller holds it
     */
    public ControllerLeadership(
            KubernetesClient client, String namespace, String identity, Runnable onElected, Runnable onLost) {
        leadership = new Leadership(
                client,
                new Leadership.Candidate(namespace, LEASE, identity, Optional::empty),
                Clock.systemUTC(),
                System::nanoTime,
                new Leadership.Listener() {

                    private final AtomicBoolean wasElected = new AtomicBoolean();

                    @Override
                    public void elected(long term) {
                        if (!wasElected.getAndSet(true)) {
                            Thread.ofVirtual().name("elected").start(onElected);
                        }
                    }

                    @Override
                    public void lost() {
                        onLost.run();
                    }
                });
        leadership.start();
    }

    /** Releases the lease, so that another controller can take over at once. */
    @Override
    public void close() {
        leadership.close();
    }
}
