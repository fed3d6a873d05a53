package io.portcullis.api.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.evidence.ServerReport.MemoryPart;
import io.portcullis.api.evidence.ServerReport.QuarantinedModule;
import io.portcullis.api.policyserver.ReplicaReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerReportTest {

    private static final long MIB = 1 << 20;

    private static final ServerReport REPORT = new ServerReport(
            1,
            512 * MIB,
            List.of(new MemoryPart("heap", 128 * MIB, 33 * MIB)),
            List.of(new QuarantinedModule("sha256:a", "2026-01-01T00:00:00Z", "too large")));

    @Test
    void isUnchangedByWritingAndReading() throws IOException {
        assertThat(ServerReport.read(REPORT.write())).isEqualTo(REPORT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{\"replica\": 1}",
                "{\"replica\":1,\"memoryLimitBytes\":1,\"memory\":null,\"quarantined\":[]}"
            })
    void rejectsMalformedReports(String json) {
        assertThatThrownBy(() -> ServerReport.read(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void limitsTheSizeOfReports() throws IOException {
        var module = new QuarantinedModule("d".repeat(10_000), "u".repeat(10_000), "r".repeat(10_000));
        var part = new MemoryPart("n".repeat(10_000), 1, 1);
        var read = ServerReport.read(
                new ServerReport(0, 1, Collections.nCopies(1000, part), Collections.nCopies(1000, module)).write());
        assertThat(read.quarantined())
                .hasSize(20)
                .allSatisfy(each -> assertThat(each.reason()).hasSize(512));
        assertThat(read.memory()).hasSize(16);
    }

    @ParameterizedTest
    @CsvSource({"0, 0Mi", "1, 16Mi", "16777216, 16Mi", "16777217, 32Mi", "34603008, 48Mi", "-5, 0Mi"})
    void roundsMemoryUseUpInTheStatus(long used, String shown) {
        var report = new ServerReport(0, 512 * MIB, List.of(new MemoryPart("heap", 128 * MIB, used)), List.of());
        assertThat(ReplicaReport.of(report))
                .isEqualTo(new ReplicaReport(
                        0, "512Mi", List.of(new ReplicaReport.MemoryPart("heap", "128Mi", shown)), List.of()));
    }
}
