package io.portcullis.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.server.preparation.quarantine.Quarantine;
import io.portcullis.server.preparation.quarantine.Quarantines;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class QuarantineReleaseTest {

    private static final String FIRST = "a".repeat(64);
    private static final String SECOND = "b".repeat(64);

    private final Quarantine quarantine = Quarantines.holding(FIRST, SECOND);
    private final AtomicReference<String> annotation = new AtomicReference<>("");
    private final QuarantineRelease release =
            new QuarantineRelease(quarantine, () -> Map.of("kubewarden.io/release-quarantine", annotation.get()));

    @Test
    void releasesTheModulesThatTheAnnotationNames() {
        annotation.set("sha256:" + FIRST);
        assertThat(release.release()).isTrue();
        assertThat(quarantine.holds(FIRST)).isFalse();
        assertThat(quarantine.holds(SECOND)).isTrue();
        annotation.set("sha256:" + FIRST + ", " + SECOND);
        assertThat(release.release()).isTrue();
        assertThat(quarantine.held()).isEmpty();
    }

    @Test
    void releasesAModuleOnceUntilTheAnnotationIsRemoved() {
        annotation.set(FIRST);
        assertThat(release.release()).isTrue();
        Quarantines.add(quarantine, FIRST);
        assertThat(release.release()).isFalse();
        assertThat(quarantine.holds(FIRST)).isTrue();
        annotation.set("");
        assertThat(release.release()).isFalse();
        annotation.set(FIRST);
        assertThat(release.release()).isTrue();
    }

    @Test
    void ignoresDigestsThatAreNotInQuarantine() {
        annotation.set(",, everything * sha256:");
        assertThat(release.release()).isFalse();
        assertThat(quarantine.held()).hasSize(2);
    }

    @Test
    void readsTheAnnotationOnlyWhileAModuleIsInQuarantineAndNotTooOften() {
        assertThat(release.isDue()).isTrue();
        assertThat(release.isDue()).isFalse();
        var idle = new QuarantineRelease(Quarantines.holding(), Map::of);
        assertThat(idle.isDue()).isFalse();
    }
}
