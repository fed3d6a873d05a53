package io.portcullis.controller.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.evidence.ServerReport;
import io.portcullis.api.policyserver.ReplicaReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicaReportStoreTest {

    private static final long MIB = 1 << 20;

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final List<String> changed = new ArrayList<>();
    private final ReplicaReportStore store = new ReplicaReportStore(() -> now, changed::add);

    private static ServerReport report(int replica, long used) {
        return new ServerReport(
                replica, 512 * MIB, List.of(new ServerReport.MemoryPart("heap", 128 * MIB, used)), List.of());
    }

    private static ServerReport quarantining(String until, long used) {
        return new ServerReport(
                0,
                512 * MIB,
                List.of(new ServerReport.MemoryPart("heap", 128 * MIB, used)),
                List.of(new ServerReport.QuarantinedModule("sha256:a", until, "too large")));
    }

    @Test
    void allowsOneReportRequestPerReplicaAndInterval() {
        assertThat(store.takeTurn("s", "pod-0")).isTrue();
        assertThat(store.takeTurn("s", "pod-0")).isFalse();
        assertThat(store.takeTurn("s", "pod-1")).isTrue();
        assertThat(store.takeTurn("other", "pod-0")).isTrue();
        now = now.plus(Duration.ofSeconds(8));
        assertThat(store.takeTurn("s", "pod-0")).isTrue();
    }

    @Test
    void continuesWhenTheWallClockChangesByAnHour() {
        assertThat(store.takeTurn("s", "pod-0")).isTrue();
        now = now.minus(Duration.ofHours(1));
        assertThat(store.takeTurn("s", "pod-0")).isTrue();
        assertThat(store.takeTurn("s", "pod-0")).isFalse();
        now = now.plus(Duration.ofHours(1));
        assertThat(store.takeTurn("s", "pod-0")).isTrue();
    }

    @Test
    void publishesOnlyVisibleChanges() {
        store.put("s", "pod-0", report(0, 17 * MIB));
        now = now.plus(Duration.ofMinutes(1));
        store.put("s", "pod-0", report(0, 30 * MIB));
        assertThat(changed).as("both are shown as 32Mi").containsExactly("s");
        store.put("s", "pod-0", report(0, 40 * MIB));
        assertThat(changed).containsExactly("s", "s");
    }

    @Test
    void publishesMemoryAtMostOncePerMinute() {
        store.put("s", "pod-0", report(0, 17 * MIB));
        store.put("s", "pod-0", report(0, 40 * MIB));
        assertThat(changed).containsExactly("s");
        assertThat(used()).isEqualTo("32Mi");
        now = now.plus(Duration.ofMinutes(1));
        store.put("s", "pod-0", report(0, 70 * MIB));
        assertThat(changed).containsExactly("s", "s");
        assertThat(used()).isEqualTo("80Mi");
    }

    private String used() {
        return store.of("s").getFirst().memory().getFirst().used();
    }

    /** The first quarantine of a module lasts only one minute. */
    @Test
    void publishesAQuarantineAndItsEndAtOnce() {
        store.put("s", "pod-0", report(0, 17 * MIB));
        store.put("s", "pod-0", quarantining("2026-01-01T00:01:00Z", 17 * MIB));
        assertThat(store.of("s").getFirst().quarantined()).hasSize(1);
        store.put("s", "pod-0", quarantining("2026-01-01T00:02:00Z", 17 * MIB));
        store.put("s", "pod-0", quarantining("2026-01-01T00:02:00Z", 40 * MIB));
        store.put("s", "pod-0", report(0, 17 * MIB));
        assertThat(store.of("s").getFirst().quarantined()).isEmpty();
        assertThat(changed).containsExactly("s", "s", "s", "s");
    }

    @Test
    void listsReplicasInOrderAndDropsDeletedReplicas() {
        store.put("s", "pod-1", report(1, 1));
        store.put("s", "pod-0", report(0, 1));
        assertThat(store.of("s")).extracting(ReplicaReport::replica).containsExactly(0, 1);
        store.retain("s", List.of("pod-1"));
        assertThat(store.of("s")).extracting(ReplicaReport::replica).containsExactly(1);
        store.retain("s", List.of());
        assertThat(store.of("s")).isEmpty();
    }
}
