package io.portcullis.process.metrics;

import java.util.List;

/**
 * The name, unit, help text and labels of a metric.
 *
 * @param unit in words, as Prometheus appends it; empty for plain counts
 */
public record Description(String name, String unit, String help, List<String> labels) {

    public Description {
        labels = List.copyOf(labels);
    }
}
