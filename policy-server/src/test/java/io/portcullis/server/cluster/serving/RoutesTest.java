package io.portcullis.server.cluster.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionSpec;
import io.portcullis.api.revision.PolicyRevisionSpec.PolicyReference;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoutesTest {

    private static final String POLICY = "kw.cap.p";

    private final Routes routes = new Routes();

    private static ObservedRevision revision(String uid, long generation, boolean active) {
        var revision = new PolicyRevision();
        revision.setMetadata(
                new ObjectMetaBuilder().withName(uid + "-" + generation).build());
        revision.setSpec(new PolicyRevisionSpec(
                new PolicyReference("policies.kubewarden.io/v1", "ClusterAdmissionPolicy", null, "p", uid),
                generation,
                POLICY,
                true,
                active,
                JsonNodeFactory.instance.objectNode(),
                "",
                List.of(),
                null));
        return new ObservedRevision(revision);
    }

    @Test
    void requestsWithoutAGenerationFollowTheActiveOne() {
        routes.update(POLICY, List.of(revision("a", 1, true), revision("a", 2, false)));
        assertThat(routes.takeChanged()).isTrue();
        assertThat(routes.active()).isEqualTo(Map.of(POLICY, 1L));

        routes.update(POLICY, List.of(revision("a", 1, true), revision("a", 2, true)));
        assertThat(routes.takeChanged()).isTrue();
        assertThat(routes.active()).isEqualTo(Map.of(POLICY, 2L));

        routes.update(POLICY, List.of(revision("a", 2, true)));
        assertThat(routes.takeChanged())
                .as("the one that is left was active before")
                .isFalse();

        routes.update(POLICY, List.of(revision("a", 2, false)));
        assertThat(routes.takeChanged()).isTrue();
        assertThat(routes.active()).isEmpty();
    }

    @Test
    void addsAndRemovesEarlierNamesWithThePolicy() {
        routes.update(POLICY, List.of(revision("a", 1, false)));
        assertThat(routes.takeChanged()).isTrue();
        assertThat(routes.earlierNames()).isEqualTo(Map.of("clusterwide-p", POLICY));

        routes.update(POLICY, List.of(revision("a", 1, false), revision("a", 2, false)));
        assertThat(routes.takeChanged())
                .as("another generation has the same names")
                .isFalse();
        routes.update(POLICY, List.of(revision("b", 1, false)));
        assertThat(routes.takeChanged()).as("the policy was created again").isTrue();
        assertThat(routes.earlierNames()).isEqualTo(Map.of("clusterwide-p", POLICY));

        routes.update(POLICY, List.of());
        assertThat(routes.takeChanged()).isTrue();
        assertThat(routes.earlierNames()).isEmpty();
    }
}
