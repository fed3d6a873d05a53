package io.portcullis.server.bench;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** One line of {@code ./portcullis bench serve}. The JSON file of a run is a list of rows. */
record BenchRow(
        String policy,
        int connections,
        double requestsPerSecond,
        double p50Millis,
        double p99Millis,
        double p999Millis,
        double cpuMicros,
        long residentMib,
        long peakMib) {

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    static BenchRow of(String policy, int connections, Load.Result result, ProcessCost before, ProcessCost after) {
        return new BenchRow(
                policy,
                connections,
                result.requestsPerSecond(),
                result.percentileMillis(0.5),
                result.percentileMillis(0.99),
                result.percentileMillis(0.999),
                (after.cpuSeconds() - before.cpuSeconds()) * 1e6 / result.latencies().length,
                after.residentKib() / 1024,
                after.peakKib() / 1024);
    }

    static String header() {
        return "%-6s %-12s %5s %11s %9s %9s %9s %14s %8s %9s"
                .formatted(
                        "server",
                        "policy",
                        "conns",
                        "requests/s",
                        "p50 ms",
                        "p99 ms",
                        "p99.9 ms",
                        "CPU µs/request",
                        "RSS MiB",
                        "peak MiB");
    }

    String line(String server) {
        return "%-6s %-12s %5d %11.0f %9.3f %9.3f %9.3f %14.0f %8d %9d"
                .formatted(
                        server,
                        policy,
                        connections,
                        requestsPerSecond,
                        p50Millis,
                        p99Millis,
                        p999Millis,
                        cpuMicros,
                        residentMib,
                        peakMib);
    }

    /** Returns this row divided by another one. */
    String ratio(BenchRow other) {
        return "%-6s %-12s %5d %10.2f× %8.2f× %8.2f× %8.2f× %13.2f× %7.2f× %8.2f×"
                .formatted(
                        "ratio",
                        policy,
                        connections,
                        requestsPerSecond / other.requestsPerSecond,
                        p50Millis / other.p50Millis,
                        p99Millis / other.p99Millis,
                        p999Millis / other.p999Millis,
                        cpuMicros / other.cpuMicros,
                        (double) residentMib / other.residentMib,
                        (double) peakMib / other.peakMib);
    }

    boolean measuresTheSameAs(BenchRow other) {
        return policy.equals(other.policy) && connections == other.connections;
    }

    static void write(Path file, List<BenchRow> rows) throws IOException {
        JSON.writeValue(file.toFile(), rows);
    }

    static List<BenchRow> read(Path file) throws IOException {
        return JSON.readValue(file.toFile(), new TypeReference<>() {});
    }
}
