package io.portcullis.process.leadership;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.process.kubernetes.BlockingHttpFactory;
import io.portcullis.process.leadership.LeasePlan.Step;
import java.time.Clock;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leader election by a Lease. Competes until closed, and updates its {@link Tenure}. Decides by monotonic time alone, because
 * the wall clocks of this process and of other candidates may be wrong or may change. Thread-safe.
 */
public final class Leadership implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    /**
     * The lease and the candidate.
     *
     * @param owner the owner reference of the lease, which is deleted with it; read when the lease is acquired
     */
    public record Candidate(
            String namespace, String lease, String identity, Supplier<Optional<OwnerReference>> owner) {}

    /** Receives leadership changes, on the election thread. */
    @FunctionalInterface
    public interface Listener {

        /** This process becomes the leader. */
        void elected(long term);

        /** This process is no longer the leader, and did not release the lease itself. */
        default void lost() {}
    }

    /** Short enough that two renewal attempts fit into the lease duration. */
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(4);

    private record Observation(@Nullable String version, long since) {}

    private final KubernetesClient client;
    private final Candidate candidate;
    private final Clock clock;
    private final LongSupplier nanos;
    private final Listener listener;
    private final Thread thread;
    private final Tenure tenure;
    private volatile boolean closed;
    // Only the election thread uses these.
    private Observation observation = new Observation(null, 0);
    private boolean leads;

    /**
     * Creates a candidate that does not compete yet.
     *
     * @param client provides cluster and credentials. The election uses its own client with short timeouts, so that other
     *     requests do not delay a renewal
     * @param clock for the times in the lease, which are informational
     * @param nanos monotonic time, on which all decisions are based
     */
    public Leadership(
            KubernetesClient client, Candidate candidate, Clock clock, LongSupplier nanos, Listener listener) {
        this.client = leaseClient(client);
        this.candidate = candidate;
        this.clock = clock;
        this.nanos = nanos;
        this.listener = listener;
        this.tenure = new Tenure(nanos);
        this.thread = Thread.ofPlatform().name("leadership").daemon().unstarted(this::compete);
    }

    private static KubernetesClient leaseClient(KubernetesClient client) {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(client.getConfiguration())
                        .withRequestTimeout((int) REQUEST_LIMIT.toMillis())
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .withHttpClientFactory(new BlockingHttpFactory())
                .build();
    }

    /** Starts to compete. Later calls have no effect. */
    public synchronized void start() {
        if (!closed && thread.getState() == Thread.State.NEW) {
            thread.start();
        }
    }

    /** Returns the tenure, which reports whether this process leads. */
    public Tenure tenure() {
        return tenure;
    }

    private void compete() {
        while (!closed) {
            try {
                attempt();
            } catch (KubernetesClientException e) {
                log.atWarn().addKeyValue("error", e.getMessage()).log("cannot ask for the lease");
            } catch (RuntimeException | Error e) {
                log.atError().setCause(e).log("leader election failed, trying again");
            }
            reportLoss();
            try {
                Thread.sleep(LeasePlan.RETRY);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void attempt() {
        var asked = nanos.getAsLong();
        var lease = Optional.ofNullable(client.leases()
                .inNamespace(candidate.namespace())
                .withName(candidate.lease())
                .get());
        var held = tenure.term();
        var step = LeasePlan.decide(
                lease.map(Lease::getSpec), candidate.identity(), unchangedFor(lease, asked), held, tenure.floor());
        switch (step) {
            case Step.Create(var term) ->
                lead(term, asked, () -> client.resource(fresh(term)).create());
            case Step.Take(var term) ->
                lead(
                        term,
                        asked,
                        () -> client.resource(taken(lease.orElseThrow(), term)).update());
            case Step.Renew() -> {
                if (write(() -> client.resource(renewed(lease.orElseThrow())).update())) {
                    tenure.hold(held.orElseThrow(), asked);
                }
            }
            case Step.Wait() -> tenure.end();
        }
    }

    private void reportLoss() {
        if (leads && !closed && tenure.term().isEmpty()) {
            leads = false;
            listener.lost();
        }
    }

    private Duration unchangedFor(Optional<Lease> lease, long now) {
        var version = lease.map(each -> each.getMetadata().getResourceVersion()).orElse(null);
        if (!Objects.equals(version, observation.version())) {
            observation = new Observation(version, now);
        }
        return Duration.ofNanos(now - observation.since());
    }

    private void lead(long term, long asked, Runnable write) {
        if (write(write)) {
            if (leads) {
                // The previous term expired. Another process may have led before this new term.
                listener.lost();
            }
            tenure.hold(term, asked);
            leads = true;
            log.atInfo().addKeyValue("term", term).log("this process leads");
            listener.elected(term);
        }
    }

    /** Writes the lease. Returns false on a conflict, because another replica was faster. */
    private static boolean write(Runnable write) {
        try {
            write.run();
            return true;
        } catch (KubernetesClientException e) {
            if (e.getCode() == 409) {
                log.atDebug().log("another replica was faster");
                return false;
            }
            throw e;
        }
    }

    private Lease fresh(long term) {
        return new LeaseBuilder()
                .withNewMetadata()
                .withName(candidate.lease())
                .withNamespace(candidate.namespace())
                .withOwnerReferences(owners())
                .endMetadata()
                .withSpec(spec(term, now()))
                .build();
    }

    private Lease taken(Lease lease, long term) {
        var owners = owners();
        return new LeaseBuilder(lease)
                .editMetadata()
                .withOwnerReferences(owners.isEmpty() ? lease.getMetadata().getOwnerReferences() : owners)
                .endMetadata()
                .withSpec(spec(term, now()))
                .build();
    }

    private Lease renewed(Lease lease) {
        return new LeaseBuilder(lease).editSpec().withRenewTime(now()).endSpec().build();
    }

    private LeaseSpec spec(long term, ZonedDateTime now) {
        var spec = new LeaseSpec();
        spec.setHolderIdentity(candidate.identity());
        spec.setLeaseDurationSeconds((int) LeasePlan.DURATION.toSeconds());
        spec.setLeaseTransitions((int) term);
        spec.setAcquireTime(now);
        spec.setRenewTime(now);
        return spec;
    }

    private ZonedDateTime now() {
        return ZonedDateTime.now(clock).truncatedTo(ChronoUnit.MICROS);
    }

    private List<OwnerReference> owners() {
        try {
            return candidate.owner().get().stream().toList();
        } catch (KubernetesClientException e) {
            log.atWarn().addKeyValue("error", e.getMessage()).log("the lease stays without an owner");
            return List.of();
        }
    }

    /** Releases the lease, so that the next leader need not wait. Does nothing else if this process never competed. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        thread.interrupt();
        try (client) {
            if (thread.getState() != Thread.State.NEW) {
                thread.join(Duration.ofSeconds(5));
            }
            var held = tenure.term();
            tenure.end();
            if (held.isPresent()) {
                release(held.getAsLong());
            }
        } catch (KubernetesClientException e) {
            log.atWarn().addKeyValue("error", e.getMessage()).log("the lease could not be given back, it runs out");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void release(long term) {
        var leases = client.leases().inNamespace(candidate.namespace()).withName(candidate.lease());
        var lease = leases.get();
        if (lease == null
                || !candidate.identity().equals(lease.getSpec().getHolderIdentity())
                || !Objects.equals(lease.getSpec().getLeaseTransitions(), (int) term)) {
            return;
        }
        var given = new LeaseBuilder(lease)
                .editSpec()
                .withHolderIdentity("")
                .withLeaseDurationSeconds(1)
                .endSpec()
                .build();
        if (write(() -> client.resource(given).update())) {
            log.atInfo().addKeyValue("term", term).log("leadership given back");
        }
    }
}
