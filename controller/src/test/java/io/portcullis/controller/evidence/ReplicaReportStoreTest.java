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

    @Test
    void asksEachReplicaOnceAMinute() {
        assertThat(store.takeTurn("s", "pod-0")).isTrue();
        assertThat(store.takeTurn("s", "pod-0")).isFalse();
        assertThat(store.takeTurn("s", "pod-1")).isTrue();
        assertThat(store.takeTurn("other", "pod-0")).isTrue();
        now = now.plus(Duration.ofMinutes(1));
        assertThat(store.takeTurn("s", "pod-0")).isTrue();
    }

    @Test
    void asksOnWhenTheWallClockIsSetBackOrForwardByAnHour() {
        assertThat(store.takeTurn("s", "pod-0")).isTrue();
        now = now.minus(Duration.ofHours(1));
        assertThat(store.takeTurn("s", "pod-0")).isTrue();
        assertThat(store.takeTurn("s", "pod-0")).isFalse();
        now = now.plus(Duration.ofHours(1));
        assertThat(store.takeTurn("s", "pod-0")).isTrue();
    }

    @Test
    void publishesOnlyWhatLooksDifferent() {
        store.put("s", "pod-0", report(0, 17 * MIB));
        store.put("s", "pod-0", report(0, 30 * MIB));
        assertThat(changed).as("both are shown as 32Mi").containsExactly("s");
        store.put("s", "pod-0", report(0, 40 * MIB));
        assertThat(changed).containsExactly("s", "s");
    }

    @Test
    void listsReplicasInOrderAndDropsThoseThatAreGone() {
        store.put("s", "pod-1", report(1, 1));
        store.put("s", "pod-0", report(0, 1));
        assertThat(store.of("s")).extracting(ReplicaReport::replica).containsExactly(0, 1);
        store.retain("s", List.of("pod-1"));
        assertThat(store.of("s")).extracting(ReplicaReport::replica).containsExactly(1);
        store.retain("s", List.of());
        assertThat(store.of("s")).isEmpty();
    }
}
