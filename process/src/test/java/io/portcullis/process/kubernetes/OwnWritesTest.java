package io.portcullis.process.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OwnWritesTest {

    private final AtomicLong now = new AtomicLong();
    private final OwnWrites written = new OwnWrites(now::get);

    private static ConfigMap object(String name, String uid, int version) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("here")
                .withName(name)
                .withUid(uid)
                .withResourceVersion(Integer.toString(version))
                .endMetadata()
                .build();
    }

    private Optional<ConfigMap> newest(Optional<ConfigMap> watched) {
        return written.newest(ConfigMap.class, "ConfigMap", "here", "one", watched);
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void returnsOurWriteUntilTheWatchDeliversIt() {
        var before = object("one", "u", 9);
        var own = object("one", "u", 10);
        written.stored(own);

        assertThat(newest(Optional.of(before))).containsSame(own);

        var same = object("one", "u", 10);
        assertThat(newest(Optional.of(same))).containsSame(same);
        assertThat(newest(Optional.of(before))).as("dropped").containsSame(before);
    }

    @Test
    void dropsOurWriteWhenTheWatchReportsANewerVersion() {
        written.stored(object("one", "u", 10));
        written.watched(object("one", "u", 11));

        assertThat(newest(Optional.empty())).isEmpty();
    }

    @Test
    void keepsTheNewerOfTwoWritesInWhateverOrderTheyAreRecorded() {
        var newer = object("one", "u", 11);
        written.stored(newer);
        written.stored(object("one", "u", 10));

        assertThat(newest(Optional.empty())).containsSame(newer);
    }

    @Test
    void keepsOurWriteWhileTheWatchIsDisconnected() {
        var own = object("one", "u", 10);
        written.stored(own);
        pass(Duration.ofMinutes(5));

        assertThat(newest(Optional.of(object("one", "u", 9)))).containsSame(own);
    }

    @Test
    void followsAWatchThatNeverDeliversOurNewObject() {
        written.stored(object("one", "u", 10));
        assertThat(newest(Optional.empty())).isPresent();

        pass(Duration.ofSeconds(11));
        assertThat(newest(Optional.empty())).isEmpty();
    }

    @Test
    void hidesAnObjectThatWeDeletedUntilTheWatchCatchesUp() {
        var deleted = object("one", "u", 9);
        written.deleted(deleted);
        assertThat(newest(Optional.of(deleted))).isEmpty();

        var successor = object("one", "v", 12);
        assertThat(newest(Optional.of(successor))).containsSame(successor);
    }

    @Test
    void showsADeletedObjectThatAFinalizerKeeps() {
        var kept = object("one", "u", 9);
        written.deleted(kept);
        pass(Duration.ofSeconds(11));

        assertThat(newest(Optional.of(kept))).containsSame(kept);
    }

    @Test
    void keepsOurNewObjectWhenTheWatchReportsTheDeletionOfItsPredecessor() {
        var own = object("one", "v", 12);
        written.stored(own);
        written.watchedDeletion(object("one", "u", 9));
        assertThat(newest(Optional.empty())).containsSame(own);

        written.watchedDeletion(own);
        assertThat(newest(Optional.empty())).isEmpty();
    }

    @Test
    void addsOurNewObjectsToAList() {
        var watched = object("one", "u", 9);
        var own = object("two", "w", 10);
        written.stored(own);
        written.stored(object("other", "x", 11));

        assertThat(written.newest(
                        ConfigMap.class,
                        List.of(watched),
                        object -> !object.getMetadata().getName().equals("other")))
                .containsExactly(watched, own);
    }

    @Test
    void comparesWithAnOlderObjectWithoutDroppingOurWrite() {
        var own = object("one", "u", 10);
        written.stored(own);

        assertThat(written.newerThan(ConfigMap.class, own)).isSameAs(own);
        assertThat(written.newerThan(ConfigMap.class, object("one", "u", 9))).isSameAs(own);
        var newer = object("one", "u", 11);
        assertThat(written.newerThan(ConfigMap.class, newer)).isSameAs(newer);
        assertThat(newest(Optional.of(object("one", "u", 9)))).containsSame(own);
    }
}
