package io.portcullis.controller.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.controller.evidence.EvidenceStore.Change;
import io.portcullis.controller.evidence.EvidenceStore.Source;
import io.portcullis.core.status.Facts.Probe;
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
    private final EvidenceStore store = new EvidenceStore(((InstantSource) () -> now).withZone(ZoneOffset.UTC));

    private static Evidence evidence(String... ids) {
        return new Evidence(
                "pod",
                0,
                Arrays.stream(ids)
                        .map(id -> new ServedGeneration(id, 1, Map.of(), Map.of(), "hash", "protect", false))
                        .toList());
    }

    @Test
    void returnsUnaskedBeforeAnyProbe() {
        assertThat(store.probe(SOURCE, List.of())).isEqualTo(new Probe.NotProbed());
    }

    @Test
    void toleratesOneFailureAndReportsTheSecond() {
        store.recordAnswer(SOURCE, evidence("a"));

        assertThat(store.failed(SOURCE, "timeout")).isEqualTo(new Change.Policies(Set.of()));
        assertThat(store.probe(SOURCE, List.of())).isEqualTo(new Probe.Answered(Set.of(), Duration.ZERO));
        assertThat(store.failed(SOURCE, "timeout")).isEqualTo(new Change.WholeServer());
        assertThat(store.probe(SOURCE, List.of())).isEqualTo(new Probe.Failed("timeout"));
        assertThat(store.recordAnswer(SOURCE, evidence("a"))).isEqualTo(new Change.WholeServer());
    }

    @Test
    void reportsTheFirstFailureOfAReplicaThatNeverAnswered() {
        store.failed(SOURCE, "refused");

        assertThat(store.probe(SOURCE, List.of())).isEqualTo(new Probe.Failed("refused"));
    }

    @Test
    void treatsEvidenceFromTheFutureAsOld() {
        store.recordAnswer(SOURCE, evidence("a"));
        now = now.minusSeconds(40); // the clock was set back

        assertThat(store.probe(SOURCE, List.of())).isEqualTo(new Probe.Answered(Set.of(), Duration.ofSeconds(40)));
        assertThat(store.isStale("server", Duration.ofSeconds(30))).isTrue();
    }

    @Test
    void reportsOnlyChangedPolicies() {
        store.recordAnswer(SOURCE, evidence("a", "b"));

        assertThat(store.recordAnswer(SOURCE, evidence("a", "b"))).isEqualTo(new Change.Policies(Set.of()));
        assertThat(store.recordAnswer(SOURCE, evidence("b", "c"))).isEqualTo(new Change.Policies(Set.of("a", "c")));
    }

    @Test
    void confirmationRefreshesUnchangedEvidence() {
        store.recordAnswer(SOURCE, evidence("b", "a"));
        var digest = store.digest(SOURCE).orElseThrow();
        assertThat(digest).isEqualTo(evidence("a", "b").digest());
        now = now.plusSeconds(20);

        assertThat(store.confirmed(SOURCE, digest)).isEqualTo(new Change.Policies(Set.of()));
        assertThat(store.probe(SOURCE, List.of())).isEqualTo(new Probe.Answered(Set.of(), Duration.ZERO));
        assertThat(store.serves(SOURCE, "a", 1)).isTrue();
        assertThat(store.digest(SOURCE)).contains(digest);
    }

    @Test
    void confirmationEndsAFailure() {
        store.recordAnswer(SOURCE, evidence("a"));
        store.failed(SOURCE, "timeout");
        store.failed(SOURCE, "timeout");

        assertThat(store.confirmed(SOURCE, store.digest(SOURCE).orElseThrow())).isEqualTo(new Change.WholeServer());
        assertThat(store.knows(SOURCE)).isTrue();
    }

    @Test
    void confirmationDoesNotCoverEvidenceThatArrivedAfterTheQuestion() {
        store.recordAnswer(SOURCE, evidence("a"));
        var digest = store.digest(SOURCE).orElseThrow();
        store.recordAnswerAbout(SOURCE, Set.of("a", "b"), evidence("b"));
        now = now.plusSeconds(20);

        assertThat(store.confirmed(SOURCE, digest)).isEqualTo(new Change.Policies(Set.of()));
        assertThat(store.probe(SOURCE, List.of())).isEqualTo(new Probe.Answered(Set.of(), Duration.ofSeconds(20)));
        assertThat(store.serves(SOURCE, "a", 1)).isFalse();
        assertThat(store.digest(SOURCE)).contains(evidence("b").digest());
    }

    @Test
    void ignoresAConfirmationWithoutEvidence() {
        store.failed(SOURCE, "refused");

        assertThat(store.digest(SOURCE)).isEmpty();
        assertThat(store.confirmed(SOURCE, evidence().digest())).isEqualTo(new Change.Policies(Set.of()));
        assertThat(store.knows(SOURCE)).isFalse();
    }

    @Test
    void anAnswerAboutSomePoliciesDoesNotChangeOthers() {
        store.recordAnswer(SOURCE, evidence("a", "b"));

        assertThat(store.recordAnswerAbout(SOURCE, Set.of("b", "c"), evidence("c", "d")))
                .as("an older server returns all policies")
                .isEqualTo(new Change.Policies(Set.of("b", "c")));
        assertThat(List.of("a", "b", "c", "d").stream().filter(id -> store.serves(SOURCE, id, 1)))
                .containsExactly("a", "c");
        assertThat(store.serves(SOURCE, "a", 2)).isFalse();
    }

    @Test
    void anAnswerAboutSomePoliciesDoesNotRefreshOthers() {
        store.recordAnswer(SOURCE, evidence("a"));
        now = now.plusSeconds(20);
        store.recordAnswerAbout(SOURCE, Set.of("b"), evidence("b"));

        assertThat(store.probe(SOURCE, List.of())).isEqualTo(new Probe.Answered(Set.of(), Duration.ofSeconds(20)));
    }

    @Test
    void dropsAReplicaThatIsNoLongerProbedDespiteALateAnswer() {
        store.recordAnswer(SOURCE, evidence("a"));
        store.retain("server", List.of());

        assertThat(store.recordAnswerAbout(SOURCE, Set.of("a"), evidence("a")))
                .isEqualTo(new Change.Policies(Set.of()));
        assertThat(store.knows(SOURCE)).isFalse();
        assertThat(store.sources("server", "pod")).isEmpty();
    }

    @Test
    void requestsFullEvidenceAfterAFailure() {
        store.recordAnswer(SOURCE, evidence("a"));
        assertThat(store.knows(SOURCE)).isTrue();
        store.failed(SOURCE, "timeout");

        assertThat(store.knows(SOURCE)).isFalse();
        assertThat(store.sources("server", "pod")).containsExactly(SOURCE);
        assertThat(store.sources("server", "another")).isEmpty();
    }

    @Test
    void evidenceCountsOnlyForTheCertificatesOfItsProbe() {
        store.recordAnswer(SOURCE, evidence("a"));

        assertThat(store.probe(new Source("server", "pod", "another"), List.of()))
                .isEqualTo(new Probe.NotProbed());
        store.retain("server", List.of());
        assertThat(store.probe(SOURCE, List.of())).isEqualTo(new Probe.NotProbed());
    }
}
