package io.portcullis.process.metrics;

import java.util.List;

/**
 * What a metric is called and what it counts.
 *
 * @param unit in words, as Prometheus appends it; empty for plain counts
 */
public record Description(String name, String unit, String help, List<String> labels) {

    public Description {
        labels = List.copyOf(labels);
    }
}
