package io.portcullis.server.memory;

import io.portcullis.process.metrics.Description;
import io.portcullis.process.metrics.Metrics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The parts of the memory split, each with its limit and its current use. Thread-safe. */
public final class ServerMemory {

    /**
     * One part.
     *
     * @param name the label of the metrics and the key in the status
     */
    public record Part(String name, long limitBytes, LongSupplier usedBytes) {}

    private final MemorySplit split;
    private final List<Part> parts;

    public ServerMemory(MemorySplit split, LongSupplier policies, LongSupplier compiledCode, LongSupplier preparation) {
        this.split = split;
        this.parts = List.of(
                new Part("heap", split.heapBytes(), ServerMemory::heapInUse),
                new Part("policies", split.guestBytes(), policies),
                new Part("compiled-code", split.codeBytes(), compiledCode),
                new Part("preparation", split.preparationBytes(), preparation));
    }

    private static long heapInUse() {
        var runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    public MemorySplit split() {
        return split;
    }

    public List<Part> parts() {
        return parts;
    }

    /** Publishes the limits and the use as metrics. */
    public void register(Metrics metrics) {
        metrics.gauge(
                "kubewarden_memory_container_limit_bytes",
                "Memory limit that the server divides among its parts.",
                split::limitBytes);
        metrics.gauges(
                new Description(
                        "kubewarden_memory_budget",
                        "bytes",
                        "Memory that each part of the server may use.",
                        List.of("part")),
                () -> values(Part::limitBytes));
        metrics.gauges(
                new Description(
                        "kubewarden_memory_used",
                        "bytes",
                        "Memory that each part of the server uses.",
                        List.of("part")),
                () -> values(part -> part.usedBytes().getAsLong()));
    }

    private Map<List<String>, Long> values(java.util.function.ToLongFunction<Part> value) {
        var values = new LinkedHashMap<List<String>, Long>();
        parts.forEach(part -> values.put(List.of(part.name()), value.applyAsLong(part)));
        return values;
    }
}
