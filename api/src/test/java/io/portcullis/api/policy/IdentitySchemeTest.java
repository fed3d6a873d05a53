package io.portcullis.api.policy;

import static io.portcullis.api.policy.PolicyKind.ADMISSION_POLICY;
import static io.portcullis.api.policy.PolicyKind.ADMISSION_POLICY_GROUP;
import static io.portcullis.api.policy.PolicyKind.CLUSTER_ADMISSION_POLICY;
import static io.portcullis.api.policy.PolicyKind.CLUSTER_ADMISSION_POLICY_GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policy.IdentityConflicts.Claim;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IdentitySchemeTest {

    private static final Instant EARLY = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATE = Instant.parse("2026-01-02T00:00:00Z");

    record Named(PolicyRef policy, String dotted, String legacy) {}

    static Stream<Named> names() {
        return Stream.of(
                new Named(new PolicyRef(CLUSTER_ADMISSION_POLICY, "", "x"), "kw.cap.x", "clusterwide-x"),
                new Named(new PolicyRef(CLUSTER_ADMISSION_POLICY_GROUP, "", "x"), "kw.capg.x", "clusterwide-group-x"),
                new Named(new PolicyRef(ADMISSION_POLICY, "ns", "x"), "kw.ap.ns.x", "namespaced-ns-x"),
                new Named(new PolicyRef(ADMISSION_POLICY_GROUP, "ns", "x"), "kw.apg.ns.x", "namespaced-group-ns-x"));
    }

    @ParameterizedTest
    @MethodSource("names")
    void buildsTheNameOfEveryKindInBothSchemes(Named named) {
        assertThat(IdentityScheme.DOTTED.policyId(named.policy())).isEqualTo(named.dotted());
        assertThat(IdentityScheme.LEGACY.policyId(named.policy())).isEqualTo(named.legacy());
    }

    record Collision(PolicyRef one, PolicyRef other) {}

    static Stream<Collision> collisions() {
        return Stream.of(
                new Collision(new PolicyRef(ADMISSION_POLICY, "a", "b-c"), new PolicyRef(ADMISSION_POLICY, "a-b", "c")),
                new Collision(
                        new PolicyRef(CLUSTER_ADMISSION_POLICY, "", "group-x"),
                        new PolicyRef(CLUSTER_ADMISSION_POLICY_GROUP, "", "x")),
                new Collision(
                        new PolicyRef(ADMISSION_POLICY, "group-x", "y"),
                        new PolicyRef(ADMISSION_POLICY_GROUP, "x", "y")));
    }

    @ParameterizedTest
    @MethodSource("collisions")
    void newerPolicyIsConflictedWhenLegacyNamesCollide(Collision collision) {
        var claims = List.of(new Claim(collision.one(), LATE), new Claim(collision.other(), EARLY));

        assertThat(IdentityConflicts.find(IdentityScheme.LEGACY, claims))
                .isEqualTo(Map.of(collision.one(), List.of(collision.other())));
        assertThat(IdentityConflicts.find(IdentityScheme.LEGACY, claims.reversed()))
                .isEqualTo(Map.of(collision.one(), List.of(collision.other())));
        assertThat(IdentityConflicts.find(IdentityScheme.DOTTED, claims)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("collisions")
    void exactlyOnePolicyIsConflictedWhenBothAreEquallyOld(Collision collision) {
        var claims = List.of(new Claim(collision.one(), EARLY), new Claim(collision.other(), EARLY));

        var conflicts = IdentityConflicts.find(IdentityScheme.LEGACY, claims);

        assertThat(conflicts).hasSize(1);
        assertThat(IdentityConflicts.find(IdentityScheme.LEGACY, claims.reversed()))
                .isEqualTo(conflicts);
    }

    @Test
    void parsesTheValuesOfTheFlag() {
        assertThat(IdentityScheme.parse("dotted")).contains(IdentityScheme.DOTTED);
        assertThat(IdentityScheme.parse("legacy")).contains(IdentityScheme.LEGACY);
        assertThat(IdentityScheme.parse("other")).isEmpty();
    }
}
