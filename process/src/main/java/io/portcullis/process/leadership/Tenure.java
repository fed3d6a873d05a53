package io.portcullis.process.leadership;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * In which term this process leads, answered without asking anybody: the term is gone as soon as its last renewal is too old,
 * also for a process that was paused meanwhile, and for good once a later one was seen anywhere. Thread-safe.
 */
public final class Tenure {

    private static final Logger log = LoggerFactory.getLogger(Tenure.class);

    /** @param renewedAt when the request that renewed it was sent */
    private record Hold(long term, long renewedAt) {}

    private final LongSupplier nanos;
    private final AtomicLong floor = new AtomicLong();
    private volatile @Nullable Hold hold;

    public Tenure(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** The term in which this process certainly leads; empty when another may. */
    public OptionalLong term() {
        var now = hold;
        return now == null
                        || now.term() < floor.get()
                        || nanos.getAsLong() - now.renewedAt() > LeasePlan.RENEW_LIMIT.toNanos()
                ? OptionalLong.empty()
                : OptionalLong.of(now.term());
    }

    public boolean isTerm(long term) {
        var now = term();
        return now.isPresent() && now.getAsLong() == term;
    }

    /** Someone has written in this term. If it is higher than ours we do not lead, whatever the lease says. */
    public void sawTerm(long term) {
        var now = hold;
        if (floor.getAndAccumulate(term, Math::max) < term && now != null && now.term() < term) {
            log.atWarn()
                    .addKeyValue("term", now.term())
                    .addKeyValue("seen", term)
                    .log("another leader has followed");
        }
    }

    /** The highest term that was seen. */
    long floor() {
        return floor.get();
    }

    /** @param asked when the request that got or renewed the lease was sent */
    public void hold(long term, long asked) {
        hold = new Hold(term, asked);
    }

    void end() {
        hold = null;
    }
}
