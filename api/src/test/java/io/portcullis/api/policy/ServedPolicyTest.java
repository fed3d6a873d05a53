package io.portcullis.api.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.testkit.sample.Samples;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
                    assertThat(single.module().contextNamespace()).isEmpty();
                });
    }

    @ParameterizedTest
    @CsvSource({
        "ADMISSION_POLICY_GROUP, team-a, true",
        "ADMISSION_POLICY_GROUP, '', false",
        "CLUSTER_ADMISSION_POLICY_GROUP, '', true"
    })
    void membersOfNamespacedGroupsReadTheirNamespaceOnly(PolicyKind kind, String namespace, boolean canRead) {
        var group = Samples.sample(kind.type());
        group.getSpec()
                .withObject("/policies/reject_latest_tag")
                .putArray("contextAwareResources")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "ConfigMap");

        assertThat(new ServedPolicy(kind, namespace, List.of()).entry(group.read()))
                .isInstanceOfSatisfying(
                        PolicyEntry.Group.class,
                        entry -> assertThat(entry.members()).hasEntrySatisfying("reject_latest_tag", member -> {
                            assertThat(member.contextAwareResources())
                                    .isEqualTo(
                                            canRead ? Set.of(new ContextAwareResource("v1", "ConfigMap")) : Set.of());
                            assertThat(member.contextNamespace())
                                    .isEqualTo(kind.isNamespaced() ? Optional.of(namespace) : Optional.empty());
                        }));
    }

    @Test
    void namespacedPolicyHasGrantedCapabilitiesAndNoResources() {
        var policy = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        policy.getSpec()
                .putArray("contextAwareResources")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Secret");

        var entry = new ServedPolicy(PolicyKind.ADMISSION_POLICY, "team-a", List.of("net/*")).entry(policy.read());

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
        return new ServedPolicy(kind, kind.isNamespaced() ? "team-a" : "", capabilities)
                .entry(Samples.sample(kind.type()).read());
    }
}
