package io.portcullis.controller.leader;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.process.leadership.Leadership;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The lease by which one of several controllers is the leader. Who loses it has to end: what it has under way cannot be
 * called back, and the next leader is already at work.
 */
public final class ControllerLeadership implements AutoCloseable {

    /** Upstream's, so that of old and new controllers only one acts during a migration. */
    static final String LEASE = "a4ddbf36.kubewarden.io";

    private final Leadership leadership;

    /**
     * Stands for election from now on.
     *
     * @param identity of this process among its rivals
     * @param onElected called once, on a thread of its own
     * @param onLost called when the lease could not be renewed in time, or another controller has it
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

    /** Gives the lease up, so that another one can take over at once. */
    @Override
    public void close() {
        leadership.close();
    }
}
