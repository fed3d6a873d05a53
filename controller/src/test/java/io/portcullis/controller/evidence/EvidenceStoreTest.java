package io.portcullis.controller.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.api.status.Facts.Probe;
import io.portcullis.controller.evidence.EvidenceStore.Change;
import io.portcullis.controller.evidence.EvidenceStore.Source;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EvidenceStoreTest {

    private static final Source SOURCE = new Source("server", "pod", "ca");

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final EvidenceStore book = new EvidenceStore(((InstantSource) () -> now).withZone(ZoneOffset.UTC));

    private static Evidence evidence(String... ids) {
        return new Evidence(
                "pod",
                0,
                Arrays.stream(ids)
                        .map(id -> new ServedGeneration(id, 1, Map.of(), Map.of(), "hash", "protect", false))
                        .toList());
    }

    @Test
    void nobodyWasAsked() {
        assertThat(book.probe(SOURCE, List.of())).isEqualTo(new Probe.Unasked());
    }

    @Test
    void oneFailureIsForgivenTheSecondCounts() {
        book.heard(SOURCE, evidence("a"));

        assertThat(book.failed(SOURCE, "timeout")).isEqualTo(new Change.Policies(Set.of()));
        assertThat(book.probe(SOURCE, List.of())).isEqualTo(new Probe.Answered(Set.of(), Duration.ZERO));
        assertThat(book.failed(SOURCE, "timeout")).isEqualTo(new Change.WholeServer());
        assertThat(book.probe(SOURCE, List.of())).isEqualTo(new Probe.Failed("timeout"));
        assertThat(book.heard(SOURCE, evidence("a"))).isEqualTo(new Change.WholeServer());
    }

    @Test
    void whoNeverAnsweredHasNothingToBeForgiven() {
        book.failed(SOURCE, "refused");

        assertThat(book.probe(SOURCE, List.of())).isEqualTo(new Probe.Failed("refused"));
    }

    @Test
    void wordsFromTheFutureAreOldWords() {
        book.heard(SOURCE, evidence("a"));
        now = now.minusSeconds(40); // the clock was set back

        assertThat(book.probe(SOURCE, List.of())).isEqualTo(new Probe.Answered(Set.of(), Duration.ofSeconds(40)));
        assertThat(book.isStale("server", Duration.ofSeconds(30))).isTrue();
    }

    @Test
    void onlyPoliciesThatChangedAreNews() {
        book.heard(SOURCE, evidence("a", "b"));

        assertThat(book.heard(SOURCE, evidence("a", "b"))).isEqualTo(new Change.Policies(Set.of()));
        assertThat(book.heard(SOURCE, evidence("b", "c"))).isEqualTo(new Change.Policies(Set.of("a", "c")));
    }

    @Test
    void whoServesTheSameStillServesIt() {
        book.heard(SOURCE, evidence("b", "a"));
        var digest = book.digest(SOURCE).orElseThrow();
        assertThat(digest).isEqualTo(evidence("a", "b").digest());
        now = now.plusSeconds(20);

        assertThat(book.confirmed(SOURCE, digest)).isEqualTo(new Change.Policies(Set.of()));
        assertThat(book.probe(SOURCE, List.of())).isEqualTo(new Probe.Answered(Set.of(), Duration.ZERO));
        assertThat(book.serves(SOURCE, "a", 1)).isTrue();
        assertThat(book.digest(SOURCE)).contains(digest);
    }

    @Test
    void whoServesTheSameCanBeAskedAgain() {
        book.heard(SOURCE, evidence("a"));
        book.failed(SOURCE, "timeout");
        book.failed(SOURCE, "timeout");

        assertThat(book.confirmed(SOURCE, book.digest(SOURCE).orElseThrow())).isEqualTo(new Change.WholeServer());
        assertThat(book.knows(SOURCE)).isTrue();
    }

    @Test
    void whatWasLearntSinceTheQuestionIsNotConfirmed() {
        book.heard(SOURCE, evidence("a"));
        var digest = book.digest(SOURCE).orElseThrow();
        book.heardAbout(SOURCE, Set.of("a", "b"), evidence("b"));
        now = now.plusSeconds(20);

        assertThat(book.confirmed(SOURCE, digest)).isEqualTo(new Change.Policies(Set.of()));
        assertThat(book.probe(SOURCE, List.of())).isEqualTo(new Probe.Answered(Set.of(), Duration.ofSeconds(20)));
        assertThat(book.serves(SOURCE, "a", 1)).isFalse();
        assertThat(book.digest(SOURCE)).contains(evidence("b").digest());
    }

    @Test
    void whoNeverToldHasNothingToConfirm() {
        book.failed(SOURCE, "refused");

        assertThat(book.digest(SOURCE)).isEmpty();
        assertThat(book.confirmed(SOURCE, evidence().digest())).isEqualTo(new Change.Policies(Set.of()));
        assertThat(book.knows(SOURCE)).isFalse();
    }

    @Test
    void anAnswerAboutSomePoliciesSaysNothingOfOthers() {
        book.heard(SOURCE, evidence("a", "b"));

        assertThat(book.heardAbout(SOURCE, Set.of("b", "c"), evidence("c", "d")))
                .as("an older server tells of everything")
                .isEqualTo(new Change.Policies(Set.of("b", "c")));
        assertThat(List.of("a", "b", "c", "d").stream().filter(id -> book.serves(SOURCE, id, 1)))
                .containsExactly("a", "c");
        assertThat(book.serves(SOURCE, "a", 2)).isFalse();
    }

    @Test
    void anAnswerAboutSomePoliciesIsNotFreshWordOfTheOthers() {
        book.heard(SOURCE, evidence("a"));
        now = now.plusSeconds(20);
        book.heardAbout(SOURCE, Set.of("b"), evidence("b"));

        assertThat(book.probe(SOURCE, List.of())).isEqualTo(new Probe.Answered(Set.of(), Duration.ofSeconds(20)));
    }

    @Test
    void whoIsNotAskedAnyMoreIsForgottenThoughAnAnswerComesLate() {
        book.heard(SOURCE, evidence("a"));
        book.retain("server", List.of());

        assertThat(book.heardAbout(SOURCE, Set.of("a"), evidence("a"))).isEqualTo(new Change.Policies(Set.of()));
        assertThat(book.knows(SOURCE)).isFalse();
        assertThat(book.sources("server", "pod")).isEmpty();
    }

    @Test
    void whoFailedOnceIsToTellOfEverythingAgain() {
        book.heard(SOURCE, evidence("a"));
        assertThat(book.knows(SOURCE)).isTrue();
        book.failed(SOURCE, "timeout");

        assertThat(book.knows(SOURCE)).isFalse();
        assertThat(book.sources("server", "pod")).containsExactly(SOURCE);
        assertThat(book.sources("server", "another")).isEmpty();
    }

    @Test
    void anAnswerCountsForTheCertificatesItWasCheckedWith() {
        book.heard(SOURCE, evidence("a"));

        assertThat(book.probe(new Source("server", "pod", "another"), List.of()))
                .isEqualTo(new Probe.Unasked());
        book.retain("server", List.of());
        assertThat(book.probe(SOURCE, List.of())).isEqualTo(new Probe.Unasked());
    }
}
