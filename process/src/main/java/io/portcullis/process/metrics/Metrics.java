package io.portcullis.process.metrics;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The registry of all metrics of a process. Thread-safe; recording takes no lock. Names have no suffix or unit; each
 * reader of {@link #families} adds those that its format requires.
 */
public final class Metrics {

    private final Map<String, Family<?>> families = new ConcurrentSkipListMap<>();

    public Family<Counter> counter(String name, String help, String... labels) {
        return add(new Family<>(new Description(name, "", help, List.of(labels)), Counter::new));
    }

    public Family<Histogram> histogram(Description description, double... bounds) {
        return add(new Family<>(description, () -> new Histogram(bounds)));
    }

    /** Registers a gauge that is read on every scrape. */
    public void gauge(String name, String help, LongSupplier value) {
        add(new Family<>(new Description(name, "", help, List.of()), () -> new Gauge(value)))
                .with();
    }

    /**
     * Registers gauges whose label values change over time. Every scrape reads all of them; a gauge that the source no
     * longer returns leaves no series behind.
     */
    public void gauges(Description description, Supplier<Map<List<String>, Long>> values) {
        add(Family.lookedUp(description, values));
    }

    public List<Family<?>> families() {
        return List.copyOf(families.values());
    }

    private <T extends Sample> Family<T> add(Family<T> family) {
        if (families.putIfAbsent(family.description().name(), family) != null) {
            throw new IllegalArgumentException(
                    "the metric " + family.description().name() + " is already there");
        }
        return family;
    }
}
