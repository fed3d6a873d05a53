package io.portcullis.server.cluster.revisions;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.server.cluster.StoredRevisions;
import io.portcullis.server.cluster.revisions.RevisionIndex.Changes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RevisionIndexTest {

    private static final String POLICY = "kw.cap.p";

    private final StoredRevisions stored = new StoredRevisions();
    private final RevisionIndex index = new RevisionIndex();
    private final ObservedRevision first = stored.create(1, "registry://x/y:1");
    private final ObservedRevision second = stored.create(2, "registry://x/y:1");

    @Test
    void reportsNewChangedAndDeletedRevisionsByPolicy() {
        assertThat(index.update(stored.changed())).isEqualTo(new Changes(Set.of(POLICY), Set.of()));
        assertThat(index.of(POLICY)).containsExactlyInAnyOrder(first, second);
        assertThat(index.update(stored.changed())).isEqualTo(new Changes(Set.of(), Set.of()));

        var changed = stored.write(second, second.status());
        assertThat(index.update(stored.changed())).isEqualTo(new Changes(Set.of(POLICY), Set.of()));
        assertThat(index.find(second.name())).containsSame(changed);

        stored.delete(first);
        assertThat(index.update(stored.changed())).isEqualTo(new Changes(Set.of(POLICY), Set.of(first.name())));
        assertThat(index.update(stored.changed()))
                .as("the pass threw an exception")
                .isEqualTo(new Changes(Set.of(), Set.of(first.name())));
        index.clearDeleted();
        assertThat(index.update(stored.changed())).isEqualTo(new Changes(Set.of(), Set.of()));
        assertThat(index.of(POLICY)).containsExactly(changed);
        stored.delete(second);
        index.update(stored.changed());
        assertThat(index.policies()).isEmpty();
        assertThat(index.all()).isEmpty();
    }

    @Test
    void dirtyRevisionsMakeTheirPolicyDueOrAreDropped() {
        index.update(stored.changed());
        var dropped = new ArrayList<String>();

        var due = index.due(new Changes(Set.of("other"), Set.of()), List.of(first.name(), "gone"), dropped::add);

        assertThat(due).containsExactlyInAnyOrder("other", POLICY);
        assertThat(dropped).containsExactly("gone");
    }

    @Test
    void doesNotReportTheDeletionOfAnUnknownRevision() {
        assertThat(index.update(Map.of("unknown", Optional.empty()))).isEqualTo(new Changes(Set.of(), Set.of()));
    }

    @Test
    void aFullResyncFindsUnreportedDeletions() {
        index.update(stored.changed());

        assertThat(index.replace(List.of(second))).isEqualTo(new Changes(Set.of(POLICY), Set.of(first.name())));
        assertThat(index.all()).containsExactly(second);
    }
}
