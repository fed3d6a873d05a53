package io.portcullis.server.cluster.leadership;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.server.cluster.leadership.LeasePlan.Step;
import java.time.Clock;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Competes for a Lease for as long as it is open. {@link #term} is answered without asking anybody: it is gone as soon as
 * the last renewal is too old, also for a process that was paused meanwhile. Thread-safe.
 */
public final class Leadership implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    /**
     * The lease and the candidate.
     *
     * @param owner with which the lease goes; asked when it is taken
     */
    public record Candidate(
            String namespace, String lease, String identity, Supplier<Optional<OwnerReference>> owner) {}

    /** @param renewedAt when the request that renewed it was sent */
    private record Hold(long term, long renewedAt) {}

    private record Sighting(@Nullable String version, long since) {}

    private final KubernetesClient client;
    private final Candidate candidate;
    private final Clock clock;
    private final LongSupplier nanos;
    private final LongConsumer elected;
    private final Thread thread;
    private final AtomicLong floor = new AtomicLong();
    private volatile @Nullable Hold hold;
    private volatile boolean closed;
    // Of the thread alone.
    private Sighting sighting = new Sighting(null, 0);

    /**
     * A candidate that does not compete yet.
     *
     * @param client of its own, with short timeouts, so that nothing else delays a renewal; closed at the end
     * @param elected told the term each time this process begins to lead
     */
    public Leadership(
            KubernetesClient client, Candidate candidate, Clock clock, LongSupplier nanos, LongConsumer elected) {
        this.client = client;
        this.candidate = candidate;
        this.clock = clock;
        this.nanos = nanos;
        this.elected = elected;
        this.thread = Thread.ofPlatform().name("leadership").daemon().unstarted(this::compete);
    }

    /** Begins to compete; once. */
    public synchronized void start() {
        if (!closed && thread.getState() == Thread.State.NEW) {
            thread.start();
        }
    }

    /** The term in which this process certainly leads; empty when another may. */
    public OptionalLong term() {
        var now = hold;
        return now == null || nanos.getAsLong() - now.renewedAt() > LeasePlan.RENEW_LIMIT.toNanos()
                ? OptionalLong.empty()
                : OptionalLong.of(now.term());
    }

    public boolean isTerm(long term) {
        var now = term();
        return now.isPresent() && now.getAsLong() == term;
    }

    /** Someone has written in this term. If it is higher than ours we do not lead, whatever the lease says. */
    public void sawTerm(long term) {
        floor.accumulateAndGet(term, Math::max);
        var now = hold;
        if (now != null && now.term() < term) {
            log.atWarn()
                    .addKeyValue("term", now.term())
                    .addKeyValue("seen", term)
                    .log("another leader has followed");
            hold = null;
        }
    }

    private void compete() {
        while (!closed) {
            try {
                round();
            } catch (KubernetesClientException e) {
                log.atWarn().addKeyValue("error", e.getMessage()).log("cannot ask for the lease");
            } catch (RuntimeException e) {
                log.atError().setCause(e).log("leader election failed, trying again");
            }
            try {
                Thread.sleep(LeasePlan.RETRY);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void round() {
        var asked = nanos.getAsLong();
        var lease = Optional.ofNullable(client.leases()
                .inNamespace(candidate.namespace())
                .withName(candidate.lease())
                .get());
        var held = term();
        var step = LeasePlan.decide(
                lease.map(Lease::getSpec), candidate.identity(), unchangedFor(lease, asked), held, floor.get());
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
                    hold = new Hold(held.orElseThrow(), asked);
                }
            }
            case Step.Wait() -> hold = null;
        }
    }

    private Duration unchangedFor(Optional<Lease> lease, long now) {
        var version = lease.map(each -> each.getMetadata().getResourceVersion()).orElse(null);
        if (!Objects.equals(version, sighting.version())) {
            sighting = new Sighting(version, now);
        }
        return Duration.ofNanos(now - sighting.since());
    }

    private void lead(long term, long asked, Runnable write) {
        if (write(write)) {
            hold = new Hold(term, asked);
            log.atInfo().addKeyValue("term", term).log("this replica leads");
            elected.accept(term);
        }
    }

    /** Whether nobody else was faster. */
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

    /** Gives the lease back, so that the next leader need not wait. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        thread.interrupt();
        try (client) {
            thread.join(Duration.ofSeconds(5));
            var held = term();
            hold = null;
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
