package io.portcullis.process.leadership;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The term in which this process leads, answered from local state. The term ends as soon as its last renewal is too old, even if the
 * process was paused meanwhile. It ends permanently once a later term was observed anywhere. Thread-safe.
 */
public final class Tenure {

    private static final Logger log = LoggerFactory.getLogger(Tenure.class);

    /** @param renewedAt when the renewal request was sent */
    private record Hold(long term, long renewedAt) {}

    private final LongSupplier nanos;
    private final AtomicLong floor = new AtomicLong();
    private volatile @Nullable Hold hold;

    public Tenure(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Returns the term in which this process certainly leads; empty when another process may lead. */
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

    /** Records that a leader wrote in this term. If it is higher than our term, this process does not lead, even if the lease still names it. */
    public void sawTerm(long term) {
        var now = hold;
        if (floor.getAndAccumulate(term, Math::max) < term && now != null && now.term() < term) {
            log.atWarn()
                    .addKeyValue("term", now.term())
                    .addKeyValue("seen", term)
                    .log("another leader has followed");
        }
    }

    /** Returns the highest observed term. */
    long floor() {
        return floor.get();
    }

    /** @param asked when the request that acquired or renewed the lease was sent */
    public void hold(long term, long asked) {
        hold = new Hold(term, asked);
    }

    void end() {
        hold = null;
    }
}
