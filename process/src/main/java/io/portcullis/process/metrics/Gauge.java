package io.portcullis.process.metrics;

import java.util.function.LongSupplier;

/** A number that is looked up when asked for. */
public final class Gauge implements Sample {

    private volatile LongSupplier source;

    Gauge(LongSupplier source) {
        this.source = source;
    }

    /** From now on looks it up there. */
    public void follow(LongSupplier source) {
        this.source = source;
    }

    public long value() {
        return source.getAsLong();
    }
}
