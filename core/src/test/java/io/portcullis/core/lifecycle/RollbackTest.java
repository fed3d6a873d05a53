package io.portcullis.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.testkit.sample.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which revisions a policy can get back. */
class RollbackTest {

    /** @param frozen the settings whose hash the revision has */
    private static PolicyRevision revision(long generation, String settings, String frozen) {
        try {
            var object = Samples.yaml("""
                    kind: PolicyRevision
                    metadata: {name: r%1$d}
                    spec: {policyGeneration: %1$d, policyID: id, data: {spec: {mode: protect, settings: {value: %2$s}}}}
                    status: {activatedAt: x}
                    """.formatted(generation, settings));
            ObjectNode original = object.at("/spec/data").deepCopy();
            original.withObject("/spec/settings").put("value", frozen);
            object.withObject("/spec").put("dataHash", CanonicalJson.digest(original));
            return Samples.JSON.treeToValue(object, PolicyRevision.class);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void changedContentIsNeverRestored() {
        var candidates = Rollback.candidates(List.of(revision(1, "a", "a"), revision(2, "b", "original")));

        assertThat(candidates).extracting(Rollback.Candidate::generation).containsExactly(1L);
        assertThat(Rollback.decide("2", 3, PolicyMode.PROTECT, candidates))
                .isInstanceOfSatisfying(
                        Rollback.Refused.class,
                        refused -> assertThat(refused.message())
                                .contains("no revision of generation 2 is kept", "kept generations: 1"));
        assertThat(Rollback.decide("previous", 3, PolicyMode.PROTECT, candidates))
                .isEqualTo(new Rollback.To(1));
    }
}
