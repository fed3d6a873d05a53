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
    private final RevisionIndex catalogue = new RevisionIndex();
    private final ObservedRevision first = stored.create(1, "registry://x/y:1");
    private final ObservedRevision second = stored.create(2, "registry://x/y:1");

    @Test
    void whatComesChangesAndGoesIsToldByPolicy() {
        assertThat(catalogue.update(stored.changed())).isEqualTo(new Changes(Set.of(POLICY), Set.of()));
        assertThat(catalogue.of(POLICY)).containsExactlyInAnyOrder(first, second);
        assertThat(catalogue.update(stored.changed())).isEqualTo(new Changes(Set.of(), Set.of()));

        var changed = stored.write(second, second.status());
        assertThat(catalogue.update(stored.changed())).isEqualTo(new Changes(Set.of(POLICY), Set.of()));
        assertThat(catalogue.find(second.name())).containsSame(changed);

        stored.delete(first);
        assertThat(catalogue.update(stored.changed())).isEqualTo(new Changes(Set.of(POLICY), Set.of(first.name())));
        assertThat(catalogue.update(stored.changed()))
                .as("the look stumbled")
                .isEqualTo(new Changes(Set.of(), Set.of(first.name())));
        catalogue.settled();
        assertThat(catalogue.update(stored.changed())).isEqualTo(new Changes(Set.of(), Set.of()));
        assertThat(catalogue.of(POLICY)).containsExactly(changed);
        stored.delete(second);
        catalogue.update(stored.changed());
        assertThat(catalogue.policies()).isEmpty();
        assertThat(catalogue.all()).isEmpty();
    }

    @Test
    void whatStirredIsDueWithItsPolicyOrForgotten() {
        catalogue.update(stored.changed());
        var forgotten = new ArrayList<String>();

        var due = catalogue.due(new Changes(Set.of("other"), Set.of()), List.of(first.name(), "gone"), forgotten::add);

        assertThat(due).containsExactlyInAnyOrder("other", POLICY);
        assertThat(forgotten).containsExactly("gone");
    }

    @Test
    void whatNeverWasKnownDoesNotGo() {
        assertThat(catalogue.update(Map.of("unknown", Optional.empty()))).isEqualTo(new Changes(Set.of(), Set.of()));
    }

    @Test
    void aLookAtEverythingFindsWhatNobodyTold() {
        catalogue.update(stored.changed());

        assertThat(catalogue.replace(List.of(second))).isEqualTo(new Changes(Set.of(POLICY), Set.of(first.name())));
        assertThat(catalogue.all()).containsExactly(second);
    }
}
