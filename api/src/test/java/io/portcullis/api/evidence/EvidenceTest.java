package io.portcullis.api.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionSpec;
import io.portcullis.api.revision.PolicyRevisionSpec.PolicyReference;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EvidenceTest {

    private static final String SINGLE = """
            {"module": "registry://r/p:v1", "mutating": true, "mode": "monitor", "settings": {"b": 1.0, "a": "x"}}""";
    private static final String GROUP = """
            {"policies": {"one": {"module": "m1", "settings": {"a": 1}}, "two": {"module": "m2"}}, "expression": "one() || two()"}""";

    @Test
    void provesARevisionThatTheReplicaServes() throws IOException {
        var revision = revision("ClusterAdmissionPolicy", 3, SINGLE, new Artifact(null, "m", "sha256:aa", 1));
        var evidence = new Evidence("uid-0", 0, List.of(ServedGeneration.of(revision, Map.of("", "sha256:aa"))));

        assertThat(Evidence.read(evidence.write())).isEqualTo(evidence);
        assertThat(evidence.proves(revision)).isTrue();
    }

    @Test
    void selectsTheRequestedPolicies() {
        var revision = revision("ClusterAdmissionPolicy", 3, SINGLE, new Artifact(null, "m", "sha256:aa", 1));
        var evidence = new Evidence("uid-0", 0, List.of(ServedGeneration.of(revision, Map.of("", "sha256:aa"))));

        assertThat(evidence.about(Set.of(revision.getSpec().policyID(), "another")))
                .isEqualTo(evidence);
        assertThat(evidence.about(Set.of("another"))).isEqualTo(new Evidence("uid-0", 0, List.of()));
    }

    @Test
    void provesGroupMembersOneByOne() {
        var revision = revision(
                "AdmissionPolicyGroup",
                1,
                GROUP,
                new Artifact("one", "m1", "sha256:aa", 1),
                new Artifact("two", "m2", "sha256:bb", 1));

        assertThat(new Evidence(
                                "u",
                                0,
                                List.of(ServedGeneration.of(revision, Map.of("one", "sha256:aa", "two", "sha256:bb"))))
                        .proves(revision))
                .isTrue();
        assertThat(new Evidence(
                                "u",
                                0,
                                List.of(ServedGeneration.of(revision, Map.of("one", "sha256:aa", "two", "sha256:cc"))))
                        .proves(revision))
                .isFalse();
    }

    @Test
    void doesNotProveAnotherGenerationModuleOrSettings() {
        var artifact = new Artifact(null, "m", "sha256:aa", 1);
        var revision = revision("ClusterAdmissionPolicy", 3, SINGLE, artifact);
        var digests = Map.of("", "sha256:aa");

        assertThat(new Evidence("u", 0, List.of()).proves(revision)).isFalse();
        assertThat(evidenceOf(revision("ClusterAdmissionPolicy", 2, SINGLE, artifact), digests)
                        .proves(revision))
                .isFalse();
        assertThat(evidenceOf(revision, Map.of("", "sha256:bb")).proves(revision))
                .isFalse();
        assertThat(evidenceOf(
                                revision("ClusterAdmissionPolicy", 3, SINGLE.replace("\"x\"", "\"y\""), artifact),
                                digests)
                        .proves(revision))
                .isFalse();
        assertThat(evidenceOf(
                                revision("ClusterAdmissionPolicy", 3, SINGLE.replace("monitor", "protect"), artifact),
                                digests)
                        .proves(revision))
                .isFalse();
    }

    @Test
    void digestDoesNotDependOnTheOrder() {
        var one = served("a", 1);
        var two = served("a", 2);

        assertThat(new Evidence("u", 0, List.of(one, two, served("b", 1))).digest())
                .isEqualTo(new Evidence("u", 0, List.of(served("b", 1), two, one)).digest());
    }

    private static ServedGeneration served(String id, long generation) {
        return new ServedGeneration(
                id, generation, Map.of("x", "d1", "y", "d2"), Map.of("y", "s2", "x", "s1"), "hash", "protect", false);
    }

    @Test
    void digestDependsOnEveryField() {
        var nothing = Map.<String, String>of();
        var different = Stream.of(
                        new ServedGeneration("a", 1, Map.of("", "d"), Map.of("", "s"), "h", "protect", true),
                        new ServedGeneration("a", 1, Map.of("", "d"), Map.of("", "s"), "h", "protect", false),
                        new ServedGeneration("a", 1, Map.of("", "d"), Map.of("", "s"), "h", "monitor", false),
                        new ServedGeneration("a", 1, Map.of("", "d"), Map.of("", "s"), "i", "protect", false),
                        new ServedGeneration("a", 1, Map.of("", "d"), Map.of("", "t"), "h", "protect", false),
                        new ServedGeneration("a", 1, Map.of("", "e"), Map.of("", "s"), "h", "protect", false),
                        new ServedGeneration("a", 1, Map.of("", "d", "s", ""), nothing, "h", "protect", false),
                        new ServedGeneration("a", 1, Map.of("m", "d"), Map.of("", "s"), "h", "protect", false),
                        new ServedGeneration("a", 2, Map.of("", "d"), Map.of("", "s"), "h", "protect", false),
                        new ServedGeneration("b", 1, Map.of("", "d"), Map.of("", "s"), "h", "protect", false))
                .map(served -> new Evidence("u", 0, List.of(served)));
        var others = Stream.of(new Evidence("u", 0, List.of()), new Evidence("v", 0, List.of()));

        assertThat(Stream.concat(different, others).map(Evidence::digest)).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{\"podUID\":\"u\",\"replica\":0}",
                "{\"podUID\":\"u\",\"replica\":0,\"policies\":[{}]}",
                "{\"podUID\":\"u\",\"replica\":0,\"policies\":[null]}",
                "<html>"
            })
    void rejectsMalformedEvidence(String text) {
        assertThatThrownBy(() -> Evidence.read(text.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class);
    }

    private static Evidence evidenceOf(PolicyRevision revision, Map<String, String> digests) {
        return new Evidence("u", 0, List.of(ServedGeneration.of(revision, digests)));
    }

    private static PolicyRevision revision(String kind, long generation, String spec, Artifact... artifacts) {
        try {
            var data = (ObjectNode) new ObjectMapper().readTree("{\"spec\": " + spec + "}");
            var revision = new PolicyRevision();
            revision.setSpec(new PolicyRevisionSpec(
                    new PolicyReference("policies.kubewarden.io/v1", kind, null, "p", "uid"),
                    generation,
                    "kw.cap.p",
                    true,
                    false,
                    data,
                    CanonicalJson.digest(data),
                    List.of(),
                    null));
            revision.setStatus(new PolicyRevisionStatus(List.of(), List.of(artifacts), null, null, null, null, null));
            return revision;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
