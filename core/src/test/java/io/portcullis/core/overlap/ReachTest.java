package io.portcullis.core.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReachTest {

    @ParameterizedTest
    @CsvSource({
        "pods, CREATE, pods, CREATE, true",
        "pods, CREATE, pods, DELETE, false",
        "pods, *, pods, DELETE, true",
        "pods, CREATE, services, CREATE, false",
        "*, CREATE, services, CREATE, true",
        "*, CREATE, pods/log, CREATE, false",
        "*/*, CREATE, pods/log, CREATE, true",
        "*/*, CREATE, pods, CREATE, true",
        "pods/*, CREATE, pods/log, CREATE, true",
        "pods/*, CREATE, pods, CREATE, true",
        "*/scale, CREATE, deployments/scale, CREATE, true",
        "*/scale, CREATE, deployments/status, CREATE, false",
    })
    void findsOverlappingRules(
            String resource, String operation, String otherResource, String otherOperation, boolean overlap) {
        var one = reach("a", resource, operation, Set.of("ns"), new LabelSelector());
        var other = reach("b", otherResource, otherOperation, Set.of("ns"), new LabelSelector());

        assertThat(one.overlaps(other)).isEqualTo(overlap);
        assertThat(other.overlaps(one)).isEqualTo(overlap);
    }

    @Test
    void onlyMutatingPoliciesThatOverlapAffectOthers() {
        var validating = reach("validating", "pods", "CREATE", Set.of("ns"), new LabelSelector());
        var mutating = mutating(reach("mutating", "pods", "CREATE", Set.of("ns"), new LabelSelector()));
        var elsewhere = mutating(reach("elsewhere", "pods", "CREATE", Set.of("other"), new LabelSelector()));
        var deleting = reach("deleting", "pods", "DELETE", Set.of("ns"), new LabelSelector());
        var all = List.of(validating, mutating, elsewhere, deleting);

        assertThat(validating.affectedBy(all)).containsExactly("mutating (ClusterAdmissionPolicy)");
        assertThat(mutating.affectedBy(all)).isEmpty();
        assertThat(deleting.affectedBy(all)).isEmpty();
    }

    @Test
    void contradictingObjectSelectorsDoNotOverlap() {
        var one = reach("a", "pods", "CREATE", Set.of("ns"), label("x"));

        assertThat(one.overlaps(reach("b", "pods", "CREATE", Set.of("ns"), label("y"))))
                .isFalse();
        assertThat(one.overlaps(reach("b", "pods", "CREATE", Set.of("ns"), label("x"))))
                .isTrue();
    }

    /** Compares with brute force: two selectors are compatible exactly when some labels satisfy both. */
    @Test
    void compatibilityOfSelectorsIsExact() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("ReachTest: seed " + seed);
        var random = new Random(seed);
        var candidates = List.<Map<String, String>>of(
                Map.of(), Map.of("k", "a"), Map.of("k", "b"), Map.of("k", "c"), Map.of("k", "neither"));
        for (int i = 0; i < 5_000; i++) {
            var one = LabelRequirements.of(selector(random));
            var other = LabelRequirements.of(selector(random));

            assertThat(one.areCompatibleWith(other))
                    .as("-Dseed=%d %s %s", seed, one, other)
                    .isEqualTo(candidates.stream().anyMatch(labels -> one.accept(labels) && other.accept(labels)));
        }
    }

    private static LabelSelector selector(Random random) {
        var builder = new LabelSelectorBuilder();
        for (int i = random.nextInt(3); i > 0; i--) {
            var operator = List.of("In", "NotIn", "Exists", "DoesNotExist").get(random.nextInt(4));
            var values = operator.endsWith("In")
                    ? List.of("a", "b", "c").subList(random.nextInt(2), 2 + random.nextInt(2))
                    : List.<String>of();
            builder.addNewMatchExpression()
                    .withKey("k")
                    .withOperator(operator)
                    .withValues(values)
                    .endMatchExpression();
        }
        return builder.build();
    }

    private static LabelSelector label(String value) {
        return new LabelSelectorBuilder().withMatchLabels(Map.of("k", value)).build();
    }

    private static Reach reach(
            String name, String resource, String operation, Set<String> namespaces, LabelSelector selector) {
        var rule = new RuleWithOperationsBuilder()
                .withApiGroups("")
                .withApiVersions("v1")
                .withResources(resource)
                .withOperations(operation)
                .build();
        return new Reach(
                new PolicyRef(PolicyKind.CLUSTER_ADMISSION_POLICY, "", name),
                List.of(rule),
                namespaces,
                false,
                selector,
                false);
    }

    private static Reach mutating(Reach reach) {
        return new Reach(
                reach.policy(),
                reach.rules(),
                reach.namespaces(),
                reach.seesClusterObjects(),
                reach.objectSelector(),
                true);
    }
}
