package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Declarative suites. */
class TestCommandTest {

    @TempDir
    Path directory;

    private KwctlRunner kwctl;

    @BeforeEach
    void writeRequests() {
        kwctl = new KwctlRunner(directory);
        write("bad.json", SamplePolicies.podRequest(true));
    }

    private void write(String name, String text) {
        SamplePolicies.write(directory.resolve(name), text);
    }

    private void suite(String policy, String cases) {
        write("pods-test.yaml", "policy: " + policy + "\ncases:\n" + cases);
    }

    @Test
    void passesWhenEveryExpectationHolds() {
        suite(SamplePolicies.PRIVILEGED_PODS, """
                - name: rejects privileged pods
                  request: bad.json
                  expect: {allowed: false, message: not allowed}
                - name: allows others
                  object: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}
                  expect: {allowed: true, patch: []}
                """);

        var result = kwctl.run("test");

        assertThat(result.out()).isEqualTo("""
                        PASS  pods-test.yaml: rejects privileged pods
                        PASS  pods-test.yaml: allows others

                        2 passed, 0 failed
                        """);
        assertThat(result.code()).isZero();
    }

    @Test
    void reportsMismatchesAndFails() {
        suite(SamplePolicies.PRIVILEGED_PODS, """
                - name: wrong verdict
                  request: bad.json
                  expect: {allowed: true, code: 400}
                - name: missing file
                  request: none.json
                  expect: {allowed: true}
                """);

        var result = kwctl.run("test", "pods-test.yaml");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out())
                .contains("""
                        FAIL  pods-test.yaml: wrong verdict
                              expected the request to be allowed, but it was rejected: Privileged container is not allowed
                              expected code 400, but it was absent
                        """)
                .contains("No such file or directory")
                .endsWith("0 passed, 2 failed\n");
    }

    @Test
    void comparesPatchesAndSettingsErrors() {
        suite(SamplePolicies.RUN_AS_USER, """
                - name: patch
                  object: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: []}}
                  settings: {runAsUser: 7, runAsGroup: 8}
                  expect:
                    allowed: true
                    patch: [{op: add, path: /spec/securityContext, value: {runAsGroup: 8, runAsUser: 7}}]
                - name: settings
                  object: {apiVersion: v1, kind: Pod, metadata: {name: p}}
                  settings: {runAsUser: root}
                  expect: {settingsError: invalid type}
                """);

        assertThat(kwctl.run("test").out()).endsWith("2 passed, 0 failed\n");
    }

    @Test
    void callsPoliciesInYamlOnlyWhenTheirRulesAndSelectorsMatch() {
        write("policy.yaml", """
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicy
                metadata: {name: pods}
                spec:
                  module: file://%s
                  message: not in this house
                  rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
                  objectSelector: {matchLabels: {app: web}}
                  namespaceSelector: {matchExpressions: [{key: team, operator: In, values: [a]}]}
                  matchConditions: [{name: not-dry, expression: "!has(request.dryRun) || !request.dryRun"}]
                """.formatted(SamplePolicies.PRIVILEGED_PODS));
        suite("policy.yaml", """
                - name: matches
                  request: bad.json
                  namespaceLabels: {team: a}
                  expect: {allowed: false, message: not in this house}
                - name: other namespace
                  request: bad.json
                  namespaceLabels: {team: b}
                  expect: {skipped: true}
                - name: dry run
                  request: dry.json
                  namespaceLabels: {team: a}
                  expect: {skipped: true}
                - name: other kind
                  object: {apiVersion: v1, kind: Service, metadata: {name: s, labels: {app: web}}}
                  namespaceLabels: {team: a}
                  expect: {skipped: true}
                """);

        write("dry.json", SamplePolicies.podRequest(true).replaceFirst("\\{", "{\"dryRun\":true,"));

        assertThat(kwctl.run("test").out()).endsWith("4 passed, 0 failed\n");
    }

    @Test
    void testsAGroup() {
        write("group.yaml", """
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicyGroup
                metadata: {name: group}
                spec:
                  expression: rust() && !denied_labels()
                  message: the group says no
                  rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
                  matchConditions: [{name: not-dry, expression: "!has(request.dryRun) || !request.dryRun"}]
                  policies:
                    rust: {module: "file://%s"}
                    denied_labels: {module: "file://%s", settings: {denied: [app]}}
                """.formatted(
                        SamplePolicies.PRIVILEGED_PODS, SamplePolicies.path("opa-denied-labels/policy.wasm")));
        write("good.json", SamplePolicies.podRequest(false));
        write("dry.json", SamplePolicies.podRequest(true).replaceFirst("\\{", "{\"dryRun\":true,"));
        suite("group.yaml", """
                - name: the first member rejects
                  request: bad.json
                  expect: {allowed: false, message: the group says no}
                - name: the negated member rejects
                  request: good.json
                  expect: {allowed: true}
                - name: the negated member accepts
                  object: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}
                  expect: {allowed: false, message: the group says no}
                - name: other kind
                  object: {apiVersion: v1, kind: Service, metadata: {name: s}}
                  expect: {skipped: true}
                - name: match conditions
                  request: dry.json
                  expect: {skipped: true}
                - name: wrong expectation
                  request: bad.json
                  expect: {allowed: true}
                """);

        var result = kwctl.run("test");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out())
                .contains("FAIL  pods-test.yaml: wrong expectation")
                .endsWith("5 passed, 1 failed\n");
    }

    @Test
    void convertsBatsTestsIntoSuites() {
        write("e2e.bats", """
                @test "rejects" {
                  run kwctl run %s -r bad.json
                  [ $(expr "$output" : '.*allowed.*false') -ne 0 ]
                }
                @test "other" {
                  run true
                }
                """.formatted(SamplePolicies.PRIVILEGED_PODS));

        var result = kwctl.run("test", "--from-bats", "e2e.bats");
        write("e2e-test.yaml", result.out());

        assertThat(result.err()).contains("WARN kwctl::test: \"other\": does not call `kwctl run`");
        assertThat(kwctl.run("test", "e2e-test.yaml").out()).endsWith("1 passed, 0 failed\n");
        assertThat(kwctl.run("test", "--from-bats", "none.bats").err()).contains("Error: cannot read file none.bats");
    }

    @Test
    void reportsForMachines() {
        suite(SamplePolicies.PRIVILEGED_PODS, "- {name: a <b>, request: bad.json, expect: {allowed: true}}\n");

        assertThat(kwctl.run("test", "-o", "tap").out())
                .startsWith("TAP version 13\n1..1\nnot ok 1 - pods-test.yaml: a <b>\n# expected");
        assertThat(kwctl.run("test", "-o", "junit").out())
                .startsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"1\" failures=\"1\">\n")
                .contains("name=\"a &lt;b&gt;\"", "<failure message=\"expected the request to be allowed");
        assertThat(kwctl.run("test", "-o", "json", "--report-path", "r.json").out())
                .isEmpty();
        assertThat(directory.resolve("r.json")).content().contains("\"failed\": 1");
    }

    @Test
    void runsSeveralSuitesAtOnceAndReportsThemInOrder() {
        for (var i = 0; i < 6; i++) {
            write("s" + i + "-test.yaml", """
                    policy: %s
                    cases:
                    - {name: rejects, request: bad.json, expect: {allowed: %s}}
                    """.formatted(SamplePolicies.PRIVILEGED_PODS, i == 4));
        }

        var one = kwctl.run("test");
        var three = kwctl.run("test", "--jobs", "3");

        assertThat(three.out()).as(three.err()).contains("5 passed, 1 failed").containsSubsequence("s0-", "s3-", "s5-");
        assertThat(three.out()).isEqualTo(one.out());
        assertThat(three.code()).isEqualTo(1);
        assertThat(kwctl.run("test", "-j", "0").err())
                .isEqualTo("Error: Cannot convert 'jobs': '0' is not a number from 1 to 64\n");
        assertThat(kwctl.run("test", "-j", "many").err()).contains("'many' is not a number from 1 to 64");
    }

    @Test
    void rejectsInvalidSuites() {
        suite(SamplePolicies.PRIVILEGED_PODS, "- {name: a, reqest: bad.json, expect: {allowed: true}}\n");
        assertThat(kwctl.run("test").err())
                .startsWith("Error: cannot read test suite ")
                .contains("a: unknown key 'reqest', did you mean 'request'?");

        suite(SamplePolicies.PRIVILEGED_PODS, "- {name: a, request: bad.json}\n");
        assertThat(kwctl.run("test").err()).contains("a: 'expect' demands nothing");
        assertThat(new KwctlRunner(directory.resolve("empty"))
                        .run("test", directory.resolve("home").toString())
                        .code())
                .isEqualTo(1);
    }
}
