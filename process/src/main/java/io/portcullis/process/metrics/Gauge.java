package io.portcullis.process.metrics;

import java.util.function.LongSupplier;

/** A number that is read from its source on every scrape. */
public final class Gauge implements Sample {

    private final LongSupplier source;

    Gauge(LongSupplier source) {
        this.source = source;
    }

    public long value() {
        return source.getAsLong();
    }
}
