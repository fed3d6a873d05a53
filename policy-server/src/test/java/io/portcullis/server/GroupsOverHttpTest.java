package io.portcullis.server;

import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real server answers requests for groups over HTTP. */
class GroupsOverHttpTest {

    private static final String POLICIES = """
            group:
              expression: a() || b()
              message: the group says no
              policies: &members
                a: {module: $POLICIES/privileged-pods/policy.wasm}
                b: {module: $POLICIES/gatekeeper-privileged-containers/policy.wasm}
            group-not: {expression: "!a()", message: the group says no, policies: *members}
            monitor: {expression: a() || b(), message: the group says no, policies: *members, policyMode: monitor}
            raw-group:
              expression: validation() && mutation()
              message: not on the menu
              policies:
                validation:
                  module: $POLICIES/raw-validation/policy.wasm
                  settings: {validUsers: [tonio, wanda], validActions: [eats, likes], validResources: [hay, banana]}
                mutation:
                  module: $POLICIES/raw-mutation/policy.wasm
                  settings: {forbiddenResources: [banana, carrot], defaultResource: hay}
            bad-settings:
              expression: good() && bad()
              message: the group says no
              policies:
                good: {module: $POLICIES/privileged-pods/policy.wasm}
                bad: {module: $POLICIES/sleeping/policy.wasm, settings: {sleepMilliseconds: 0}}
            different-resources:
              expression: pods() && services()
              message: the group says no
              policies: &different
                pods: {module: $POLICIES/gatekeeper-privileged-containers/policy.wasm}
                services: {module: $POLICIES/opa-service-types/policy.wasm, settings: {types: [NodePort]}}
            unused-member: {expression: pods(), message: the group says no, policies: *different}
            """;

    @TempDir
    static Path dir;

    private static RunningServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new RunningServer(dir, POLICIES);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void aRejectionHasTheResultOfEachEvaluatedMemberAsWarning() throws Exception {
        assertThatJson(server.http().post("/validate/group", Reviews.rejected()).body())
                .inPath("response.warnings")
                .isArray()
                .hasSize(2)
                .satisfies(warnings -> {
                    assertThat(warnings.get(0)).isEqualTo("a was rejected: Privileged container is not allowed");
                    assertThat(warnings.get(1).toString())
                            .startsWith("b was rejected: Privileged container is not allowed: ");
                });
        assertThatJson(server.http()
                        .post("/validate/group-not", Reviews.allowed())
                        .body())
                .inPath("response.warnings")
                .isArray()
                .containsExactly("a was accepted");
        assertThatJson(server.http().post("/validate/group", Reviews.allowed()).body())
                .inPath("response.warnings")
                .isEqualTo(null);
        assertThatJson(server.http()
                        .post("/validate/monitor", Reviews.rejected())
                        .body())
                .inPath("response")
                .isObject()
                .containsEntry("allowed", true)
                .containsEntry("warnings", null);
    }

    @Test
    void servesAGroupOfRawPolicies() throws Exception {
        var accepted = server.http().post("/validate_raw/raw-group", raw("tonio", "hay"));
        assertThat(accepted.status()).isEqualTo(200);
        assertThatJson(accepted.body())
                .inPath("response")
                .isObject()
                .containsEntry("uid", "1")
                .containsEntry("allowed", true);
        assertThat(accepted.body()).doesNotContain("apiVersion", "kind");

        var rejected = server.http().post("/validate_raw/raw-group", raw("mallory", "hay"));
        assertThatJson(rejected.body()).inPath("response.allowed").isEqualTo(false);
        assertThatJson(rejected.body()).inPath("response.status.message").isEqualTo("not on the menu");
        assertThatJson(rejected.body())
                .inPath("response.status.details.causes")
                .isArray()
                .hasSize(1);
        assertThatJson(rejected.body())
                .inPath("response.status.details.causes[0].field")
                .isEqualTo("spec.policies.validation");

        var mutated = server.http().post("/validate_raw/raw-group", raw("tonio", "banana"));
        assertThatJson(mutated.body())
                .inPath("response.warnings")
                .isArray()
                .containsExactly(
                        "validation was accepted",
                        "mutation was rejected: mutation is not allowed inside of policy group");
        assertThat(mutated.body()).doesNotContain("patch");
    }

    private static String raw(String user, String resource) {
        return "{\"request\":{\"uid\":\"1\",\"user\":\"" + user + "\",\"action\":\"eats\",\"resource\":\"" + resource
                + "\"}}";
    }

    /** The settings of every member are validated at load; the first member with invalid settings is named. */
    @Test
    void aGroupWithInvalidSettingsOfAMemberRejectsAndOtherGroupsAreServed() throws Exception {
        var answer = server.http().post("/validate/bad-settings", Reviews.allowed());

        assertThat(answer.status()).isEqualTo(200);
        assertThatJson(answer.body()).inPath("response.allowed").isEqualTo(false);
        assertThatJson(answer.body()).inPath("response.status.code").isEqualTo(500);
        assertThatJson(answer.body())
                .inPath("response.status.message")
                .isEqualTo("bad-settings/bad: settings not valid: Policy settings are invalid: "
                        + "sleep_milliseconds must be set and be major than 0");
        assertThatJson(server.http().post("/validate/group", Reviews.allowed()).body())
                .inPath("response.allowed")
                .isEqualTo(true);
    }

    @Test
    void refusesAGroupWhoseMembersAreMadeForDifferentResources() throws Exception {
        var answer = server.http().post("/validate/different-resources", Reviews.allowed());

        assertThatJson(answer.body()).inPath("response.allowed").isEqualTo(false);
        assertThatJson(answer.body())
                .inPath("response.status.message")
                .isEqualTo(
                        "bootstrap failure: different-resources: the expression of group different-resources can never"
                                + " be meaningful: member 'pods' is made for pods, member 'services' for services");
        assertThatJson(server.http()
                        .post("/validate/unused-member", Reviews.allowed())
                        .body())
                .inPath("response.allowed")
                .isEqualTo(true);
    }

    @Test
    void theOperatorCanTurnTheseWarningsOff(@TempDir Path other) throws Exception {
        try (var quiet = new RunningServer(other, POLICIES, "--disable-group-member-warnings")) {
            assertThatJson(quiet.http()
                            .post("/validate/group", Reviews.rejected())
                            .body())
                    .inPath("response")
                    .isObject()
                    .containsEntry("allowed", false)
                    .containsEntry("warnings", null);
        }
    }
}
