package io.portcullis.api.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.testkit.sample.Samples;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServedPolicyTest {

    @Test
    void clusterWidePolicyHasAllCapabilitiesAndItsListedResources() {
        assertThat(entry(PolicyKind.CLUSTER_ADMISSION_POLICY, List.of("net/*")))
                .isInstanceOfSatisfying(PolicyEntry.Single.class, single -> {
                    assertThat(single.mode()).isEqualTo(PolicyMode.MONITOR);
                    assertThat(single.allowedToMutate()).isTrue();
                    assertThat(single.message()).contains("ask the platform team");
                    assertThat(single.module().timeout()).contains(Duration.ofSeconds(15));
                    assertThat(single.module().hostCapabilities()).containsExactly("*");
                    assertThat(single.module().contextAwareResources())
                            .containsExactly(new ContextAwareResource("v1", "Namespace"));
                });
    }

    @Test
    void namespacedPolicyHasGrantedCapabilitiesAndNoResources() {
        var policy = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        policy.getSpec()
                .putArray("contextAwareResources")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Secret");

        var entry = new ServedPolicy(PolicyKind.ADMISSION_POLICY, List.of("net/*")).entry(policy.read());

        assertThat(entry).isInstanceOfSatisfying(PolicyEntry.Single.class, single -> {
            assertThat(single.module().hostCapabilities()).containsExactly("net/*");
            assertThat(single.module().contextAwareResources()).isEmpty();
            assertThat(single.module().settings().isEmpty()).isTrue();
        });
    }

    @Test
    void groupKeepsTheOrderOfItsMembers() {
        assertThat(entry(PolicyKind.CLUSTER_ADMISSION_POLICY_GROUP, List.of()))
                .isInstanceOfSatisfying(PolicyEntry.Group.class, group -> {
                    assertThat(group.members().keySet()).containsExactly("sigstore_pgp", "reject_latest_tag");
                    assertThat(group.expression()).isEqualTo("sigstore_pgp() || !reject_latest_tag()");
                    assertThat(group.message()).isEqualTo("The policy group is rejected.");
                });
    }

    private static PolicyEntry entry(PolicyKind kind, List<String> capabilities) {
        return new ServedPolicy(kind, capabilities)
                .entry(Samples.sample(kind.type()).read());
    }
}
