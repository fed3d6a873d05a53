package io.portcullis.process.metrics;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * The time series of one metric, one per combination of label values. Series stay until they are dropped, so labels must
 * come from small sets; beyond {@link #MAX_SERIES} combinations all new ones share one series with empty labels.
 */
public final class Family<T extends Sample> {

    /** Keeps a hostile client from filling the heap with label values of its choice. */
    static final int MAX_SERIES = 10_000;

    private final Description description;
    private final Supplier<T> maker;
    private final Map<List<String>, T> series = new ConcurrentHashMap<>();

    Family(Description description, Supplier<T> maker) {
        this.description = description;
        this.maker = maker;
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
        var known = series.get(key);
        if (known != null) {
            return known;
        }
        var admitted = series.size() < MAX_SERIES
                ? key
                : description.labels().stream().map(_ -> "").toList();
        return series.computeIfAbsent(admitted, _ -> maker.get());
    }

    /** Forgets the series of these label values: what it told of is gone. */
    public void drop(String... values) {
        series.remove(List.of(values));
    }

    public void forEach(BiConsumer<List<String>, T> reader) {
        series.forEach(reader);
    }
}
