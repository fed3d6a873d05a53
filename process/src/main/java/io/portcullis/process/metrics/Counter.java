package io.portcullis.process.metrics;

import java.util.concurrent.atomic.LongAdder;

/** A number that only increases. */
public final class Counter implements Sample {

    private final LongAdder count = new LongAdder();

    Counter() {}

    public void increment() {
        count.increment();
    }

    public long value() {
        return count.sum();
    }
}
