package io.portcullis.api.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.testkit.sample.Samples;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PolicySpecTest {

    @Test
    void readsEveryFieldOfASinglePolicy() {
        var spec = Samples.sample(PolicyKind.CLUSTER_ADMISSION_POLICY.type()).read();

        assertThat(spec.placement())
                .isEqualTo(new PolicySpec.Placement("reserved-instance-for-tenant-a", PolicyMode.MONITOR, false));
        assertThat(spec.call()).isEqualTo(new PolicySpec.Call("Ignore", "NoneOnDryRun", 20));
        assertThat(spec.match().rules()).hasSize(1);
        assertThat(spec.match().matchConditions()).hasSize(1);
        assertThat(spec.isMutating()).isTrue();
        assertThat(spec.content()).isInstanceOfSatisfying(PolicyContent.Single.class, single -> {
            assertThat(single.contextAwareResources()).containsExactly(new ContextAwareResource("v1", "Namespace"));
            assertThat(single.message()).isEqualTo("ask the platform team");
            assertThat(single.timeoutEvalSeconds()).isEqualTo(15);
        });
    }

    @Test
    void readsEveryFieldOfAGroup() {
        var spec =
                Samples.sample(PolicyKind.CLUSTER_ADMISSION_POLICY_GROUP.type()).read();

        assertThat(spec.isMutating()).isFalse();
        assertThat(spec.content()).isInstanceOfSatisfying(PolicyContent.Group.class, group -> {
            assertThat(group.policies().keySet()).containsExactly("sigstore_pgp", "reject_latest_tag");
            assertThat(group.expression()).isEqualTo("sigstore_pgp() || !reject_latest_tag()");
            assertThat(group.message()).isEqualTo("The policy group is rejected.");
        });
    }

    @Test
    void readsAnAbsentPolicyServerAsDefaultAndAnEmptyOneAsNone() {
        var absent = PolicySpec.read(PolicyKind.ADMISSION_POLICY, Samples.yaml("{module: a, mutating: false}"));
        var empty = PolicySpec.read(PolicyKind.ADMISSION_POLICY, Samples.yaml("{policyServer: ''}"));

        assertThat(absent.placement()).isEqualTo(new PolicySpec.Placement("default", PolicyMode.PROTECT, true));
        assertThat(empty.placement().isScheduled()).isFalse();
    }

    @Test
    void namesTheMalformedField() {
        var spec = Samples.yaml("{rules: [{apiGroups: 5}]}");

        assertThatThrownBy(() -> PolicySpec.read(PolicyKind.ADMISSION_POLICY, spec))
                .isInstanceOf(FlatObject.MalformedException.class)
                .hasMessageStartingWith("spec.rules[0].apiGroups: ");
    }

    @Test
    void readsConditionsOfEarlierReleasesAsConditionsOfThePolicy() {
        var policy = Samples.as(ClusterAdmissionPolicy.class, Samples.yaml("""
                        status:
                          policyStatus: active
                          conditions:
                            - {type: PolicyActive, status: "True", reason: PolicyActive, message: "", lastTransitionTime: "2024-01-01T00:00:00Z"}
                        """));

        assertThat(Objects.requireNonNull(policy.getStatus()).conditions())
                .singleElement()
                .satisfies(condition -> {
                    assertThat(condition.generation()).isZero();
                    assertThat(condition.replica()).isEqualTo(-1);
                });
    }
}
