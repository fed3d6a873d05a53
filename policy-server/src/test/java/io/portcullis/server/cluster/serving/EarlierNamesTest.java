package io.portcullis.server.cluster.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.revision.PolicyRevisionSpec;
import io.portcullis.api.revision.PolicyRevisionSpec.PolicyReference;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A webhook of an earlier release reaches the policy that it was created for, or none. */
class EarlierNamesTest {

    private static PolicyRevisionSpec revision(
            IdentityScheme scheme, PolicyKind kind, String namespace, String name, long generation) {
        var id = scheme.policyId(new PolicyRef(kind, namespace, name));
        return new PolicyRevisionSpec(
                new PolicyReference("policies.kubewarden.io/v1", kind.wireName(), namespace, name, "uid"),
                generation,
                id,
                true,
                false,
                JsonNodeFactory.instance.objectNode(),
                "",
                List.of(),
                null);
    }

    private static PolicyRevisionSpec dotted(PolicyKind kind, String namespace, String name) {
        return revision(IdentityScheme.DOTTED, kind, namespace, name, 1);
    }

    @Test
    void mapsTheOldNameToThePolicy() {
        assertThat(EarlierNames.of(List.of(
                        dotted(PolicyKind.CLUSTER_ADMISSION_POLICY, "", "p"),
                        dotted(PolicyKind.ADMISSION_POLICY, "ns", "p"))))
                .isEqualTo(Map.of("clusterwide-p", "kw.cap.p", "namespaced-ns-p", "kw.ap.ns.p"));
    }

    @Test
    void mapsTheNewNameToAPolicyThatKeepsItsOldName() {
        assertThat(EarlierNames.of(List.of(
                        revision(IdentityScheme.LEGACY, PolicyKind.CLUSTER_ADMISSION_POLICY_GROUP, "", "g", 1))))
                .isEqualTo(Map.of("kw.capg.g", "clusterwide-group-g"));
    }

    @Test
    void treatsTwoGenerationsAsOnePolicy() {
        assertThat(EarlierNames.of(List.of(
                        revision(IdentityScheme.DOTTED, PolicyKind.CLUSTER_ADMISSION_POLICY, "", "p", 1),
                        revision(IdentityScheme.DOTTED, PolicyKind.CLUSTER_ADMISSION_POLICY, "", "p", 2))))
                .isEqualTo(Map.of("clusterwide-p", "kw.cap.p"));
    }

    @Test
    void omitsANameThatTwoPoliciesMayHaveHad() {
        assertThat(EarlierNames.of(List.of(
                        dotted(PolicyKind.ADMISSION_POLICY, "a-b", "c"),
                        dotted(PolicyKind.ADMISSION_POLICY, "a", "b-c"))))
                .isEmpty();
    }
}
