package io.portcullis.process.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * The time series of one metric, one per combination of label values. Recorded series are never dropped, so their labels
 * must come from small sets. Beyond {@link #MAX_SERIES} combinations all new ones share one series with empty labels.
 * Series that are looked up exist as long as their source returns them.
 */
public final class Family<T extends Sample> {

    /** Prevents a hostile client from filling the heap with label values. */
    static final int MAX_SERIES = 10_000;

    private final Description description;
    private final Supplier<T> maker;
    private final Map<List<String>, T> series = new ConcurrentHashMap<>();
    private final Supplier<Map<List<String>, T>> lookup;

    Family(Description description, Supplier<T> maker) {
        this.description = description;
        this.maker = maker;
        this.lookup = () -> series;
    }

    private Family(Supplier<Map<List<String>, T>> lookup, Description description) {
        this.description = description;
        this.maker = () -> {
            throw new IllegalStateException(description.name() + " is looked up, not recorded");
        };
        this.lookup = lookup;
    }

    static Family<Gauge> lookedUp(Description description, Supplier<Map<List<String>, Long>> values) {
        return new Family<>(
                () -> {
                    Map<List<String>, Gauge> series = new LinkedHashMap<>();
                    values.get().entrySet().stream()
                            .limit(MAX_SERIES)
                            .forEach(entry -> series.put(entry.getKey(), new Gauge(entry::getValue)));
                    return series;
                },
                description);
    }

    public Description description() {
        return description;
    }

    /** The series of these label values, in the order of the labels. An empty value stands for an absent label. */
    public T with(String... values) {
        if (values.length != description.labels().size()) {
            throw new IllegalArgumentException(description.name() + " has labels " + description.labels());
        }
        var key = List.of(values);
        var existing = series.get(key);
        if (existing != null) {
            return existing;
        }
        var admitted = series.size() < MAX_SERIES
                ? key
                : description.labels().stream().map(_ -> "").toList();
        return series.computeIfAbsent(admitted, _ -> maker.get());
    }

    public void forEach(BiConsumer<List<String>, T> reader) {
        lookup.get().forEach(reader);
    }
}
