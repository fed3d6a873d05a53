package io.portcullis.api.policyserver;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.portcullis.api.evidence.ServerReport;
import java.util.List;

/**
 * Memory and quarantined modules of one replica in the status of its PolicyServer. Amounts are rounded up, so that the status
 * does not change with every request.
 *
 * @param memoryLimit memory limit, such as {@code 512Mi}
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReplicaReport(
        int replica, String memoryLimit, List<MemoryPart> memory, List<QuarantinedModule> quarantined) {

    private static final long MIB = 1 << 20;
    private static final long STEP = 16;

    /** One part of the memory, such as {@code heap}. Limit and use have the format {@code 48Mi}. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record MemoryPart(String name, String limit, String used) {}

    /** A module that the replica does not prepare before {@code until}. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record QuarantinedModule(String digest, String until, String reason) {}

    public ReplicaReport {
        memory = memory == null ? List.of() : List.copyOf(memory);
        quarantined = quarantined == null ? List.of() : List.copyOf(quarantined);
    }

    public static ReplicaReport of(ServerReport report) {
        return new ReplicaReport(
                report.replica(),
                mebibytes(report.memoryLimitBytes(), 1),
                report.memory().stream()
                        .map(part -> new MemoryPart(
                                part.name(), mebibytes(part.limitBytes(), 1), mebibytes(part.usedBytes(), STEP)))
                        .toList(),
                report.quarantined().stream()
                        .map(module -> new QuarantinedModule(module.digest(), module.until(), module.reason()))
                        .toList());
    }

    private static String mebibytes(long bytes, long step) {
        var unit = step * MIB;
        return Math.max(0, bytes) / unit * step + (bytes > 0 && bytes % unit > 0 ? step : 0) + "Mi";
    }
}
