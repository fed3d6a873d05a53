package io.portcullis.process.metrics;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.DoubleAdder;

/** Counts values in buckets. Bounds are inclusive upper bounds; the last bucket has none. */
public final class Histogram implements Sample {

    private final double[] bounds;
    private final AtomicLongArray buckets;
    private final DoubleAdder sum = new DoubleAdder();

    Histogram(double[] bounds) {
        this.bounds = bounds.clone();
        this.buckets = new AtomicLongArray(bounds.length + 1);
    }

    public void record(double value) {
        var bucket = 0;
        while (bucket < bounds.length && value > bounds[bucket]) {
            bucket++;
        }
        buckets.incrementAndGet(bucket);
        sum.add(value);
    }

    public double[] bounds() {
        return bounds.clone();
    }

    /** Returns the count of each bucket, not cumulative. There is one bucket more than bounds. */
    public long[] counts() {
        var counts = new long[buckets.length()];
        Arrays.setAll(counts, buckets::get);
        return counts;
    }

    public double sum() {
        return sum.sum();
    }
}
