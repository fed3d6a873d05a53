package io.portcullis.kwctl.values;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.yaml.YamlDocuments;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesMigrationTest {

    private static ObjectNode yaml(String text) {
        return (ObjectNode) YamlDocuments.parse(text);
    }

    private static ValuesMigration migrate(String... files) {
        return ValuesMigration.of(Arrays.stream(files)
                .map(ValuesMigrationTest::yaml)
                .reduce(ValuesMigration::merge)
                .orElseThrow());
    }

    /** Renders all values of our charts as one text, each chart in braces. */
    private static String written(ValuesMigration migration) {
        return migration.values().values().stream().map(ObjectNode::toString).reduce("", String::concat);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "replicas: 3; {}{\"replicas\":3}{}",
                "installPolicyReportCRDs: true; {\"installPolicyReportCRDs\":true}{}{}",
                "policyServer: {imagePullSecret: null}; {}{}{\"policyServer\":{\"imagePullSecret\":null}}",
                "policyServer: {env: []}; {}{}{\"policyServer\":{\"env\":[]}}",
                "recommendedPolicies: {userGroupPolicy: null}; {}{}{\"recommendedPolicies\":{\"userGroupPolicy\":null}}",
                "recommendedPolicies: {userGroupPolicy: {settings: {a: 1}}}; {}{}{\"recommendedPolicies\":{\"userGroupPolicy\":{\"settings\":{\"a\":1}}}}",
                "resources: {controller: {limits: {memory: 1Gi, cpu: 2}}}; {}{\"resources\":{\"controller\":{\"limits\":{\"memory\":\"1Gi\",\"cpu\":2}}}}{}",
                "resources: {controller: {limits: {memory: much}}}; {}{\"resources\":{\"controller\":{\"limits\":{\"memory\":\"much\"}}}}{}",
                "image: {repository: mirror.example.com/portcullis/controller, tag: dev}; {}{\"image\":{\"repository\":\"mirror.example.com/portcullis/controller\",\"tag\":\"dev\"}}{}",
                "crdVersion: policies.kubewarden.io/v1; {}{}{\"crdVersion\":\"policies.kubewarden.io/v1\"}",
                "networkPolicy: {enable: false}; {}{\"networkPolicy\":{\"enable\":false}}{}",
                "policyServer: {sourceAuthorities: {a: [b]}}; {}{}{\"policyServer\":{\"sourceAuthorities\":{\"a\":[\"b\"]}}}",
                "policyServer: {sourceAuthorities: [{url: a}]}; {}{}{\"policyServer\":{\"sourceAuthorities\":[{\"url\":\"a\"}]}}",
                "policyServer: {permissions: [{apiGroup: '', resources: [pods], verbs: [get]}]}; {}{}{\"policyServer\":{\"permissions\":[{\"apiGroup\":\"\",\"resources\":[\"pods\"],\"verbs\":[\"get\"]}]}}",
            })
    void keepsUnchangedValues(String values, String expected) {
        var migration = migrate(values);

        assertThat(written(migration)).isEqualTo(expected);
        assertThat(migration.changes()).isNotEmpty().allMatch(change -> change instanceof ValueChange.Taken);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "resources: {preDeleteJob: {limits: {cpu: 1}}}; {}{\"resources\":{\"cleanup\":{\"limits\":{\"cpu\":1}}}}{}; resources.preDeleteJob.limits; becomes resources.cleanup.limits",
                "imagePullSecrets: [a, {name: b}]; {}{\"imagePullSecrets\":[{\"name\":\"a\"},{\"name\":\"b\"}]}{}; imagePullSecrets; each name becomes",
                "auditScanner: {logLevel: warn}; {}{\"auditScanner\":{\"logLevel\":\"warning\"}}{}; auditScanner.logLevel; warn becomes warning",
                "policyServer: {sourceAuthorities: [{uri: 'a/~b', certs: [x]}, {uri: c}, {uri: 'a/~b', certs: [y]}]}; {}{}{\"policyServer\":{\"sourceAuthorities\":{\"a/~b\":[\"x\",\"y\"]}}}; policyServer.sourceAuthorities; becomes a mapping",
            })
    void mapsValuesWithAnotherKeyOrForm(String values, String expected, String key, String change) {
        var migration = migrate(values);

        assertThat(written(migration)).isEqualTo(expected);
        assertThat(migration.changes()).singleElement().isInstanceOfSatisfying(ValueChange.Mapped.class, mapped -> {
            assertThat(mapped.key()).startsWith(key);
            assertThat(mapped.change()).contains(change);
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "image: {repository: kubewarden/adm-controller/controller}; image.repository; image of Kubewarden; portcullis/controller",
                "image: {tag: v1.36.0}; image.tag; version of Kubewarden; default applies",
                "policyServer: {image: {repository: mirror/policy-server}}; policyServer.image.repository; image of Kubewarden; portcullis/policy-server",
                "fullnameOverride: mine; fullnameOverride; names of our objects are fixed; remove",
                "preDeleteJob: {image: {repository: mirror/kubectl}}; preDeleteJob.image.repository; controller's image; remove",
                "resources: {controller: {limits: {memory: 200Mi}}}; resources.controller.limits.memory; 256Mi or more; default applies",
                "resources: {preDeleteJob: {limits: {memory: 64Mi}}}; resources.preDeleteJob.limits.memory; Java process; resources.cleanup.limits.memory",
                "resources: {postInstallJob: {limits: {cpu: 1}}}; resources.postInstallJob; no job after; remove",
                "auditScanner: {policyReporter: true}; auditScanner.policyReporter; does not contain policy-reporter; by its own chart",
                "policy-reporter: {ui: {enabled: true}}; policy-reporter; does not contain policy-reporter; its own chart",
                "crdVersion: policies.kubewarden.io/v1alpha2; crdVersion; only policies.kubewarden.io/v1; remove",
                "policyServer: {permissions: [{apiGroup: '', resources: ['*']}]}; policyServer.permissions; every Secret; name the resources",
                "policyServer: {permissions: [{apiGroup: '', resources: [pods], verbs: ['*']}]}; policyServer.permissions; every Secret; name the resources",
                "replica: 2; replica; neither Kubewarden's charts nor ours; did you mean replicas?",
                "auditScanner: {cronjob: {schedule: x}}; auditScanner.cronjob; neither; did you mean cronJob?",
                "somethingElse: 2; somethingElse; neither; remove",
                "recommendedPolicies: {userGroupPolicy: {modul: x}}; recommendedPolicies.userGroupPolicy.modul; has only name; null leaves the policy out",
                "recommendedPolicies: {userGroupPolicy: off}; recommendedPolicies.userGroupPolicy; has only name; null leaves the policy out",
                "image: none; image; not a mapping; pullPolicy, repository, tag",
                "telemetry: null; telemetry; not a mapping; custom, metrics, mode, sidecar, tracing",
                "image.tag: x; image.tag; neither; remove",
                "\"a\\tb\\e[1m\": x; a?b?[1m; neither; remove",
            })
    void rejectsValuesWithAReasonAndLeavesThemOut(String values, String key, String why, String instead) {
        var migration = migrate(values);

        assertThat(written(migration)).isEqualTo("{}{}{}");
        assertThat(migration.changes()).singleElement().isInstanceOfSatisfying(ValueChange.Refused.class, refused -> {
            assertThat(refused.key()).isEqualTo(key);
            assertThat(refused.why()).contains(why);
            assertThat(refused.instead()).contains(instead);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nameOverride: ''",
                "fullnameOverride: null",
                "fullnameOverride: kubewarden-controller",
                "preDeleteJob: {image: {repository: rancher/kuberlr-kubectl}}",
                "preDeleteJob: {image: {tag: v8.1.1}}",
                "resources: {postInstallJob: {limits: {cpu: 100m, memory: 128Mi}, requests: {cpu: 50m, memory: 64Mi}}}",
                "auditScanner: {policyReporter: false}",
                "policy-reporter: {}",
            })
    void leavesOutDefaultsOfKubewardenThatHaveNoEffect(String values) {
        var migration = migrate(values);

        assertThat(written(migration)).isEqualTo("{}{}{}");
        assertThat(migration.changes()).singleElement().isInstanceOf(ValueChange.LeftOut.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "global: {a: 1}; {}{\"global\":{\"a\":1}}{\"global\":{\"a\":1}}",
                "{global: {a: 1}, installOpenReportsCRDs: true}; {\"installOpenReportsCRDs\":true}{\"global\":{\"a\":1}}{\"global\":{\"a\":1}}",
                "{global: {a: 1}, replicas: 2}; {}{\"global\":{\"a\":1},\"replicas\":2}{}",
                "{global: {a: 1}, crdVersion: policies.kubewarden.io/v1}; {}{}{\"global\":{\"a\":1},\"crdVersion\":\"policies.kubewarden.io/v1\"}",
                "{additionalLabels: {a: b}, replicas: 2, policyServer: {replicaCount: 3}}; {}{\"additionalLabels\":{\"a\":\"b\"},\"replicas\":2}{\"additionalLabels\":{\"a\":\"b\"},\"policyServer\":{\"replicaCount\":3}}",
            })
    void writesSharedValuesToTheChartsOfTheFile(String values, String expected) {
        assertThat(written(migrate(values))).isEqualTo(expected);
    }

    @Test
    void mergesFilesAsHelmDoes() {
        var migration = migrate(
                "{replicas: 1, nodeSelector: {a: b}, imagePullSecrets: [{name: a}], ports: {webhook: 1, metrics: 2}}",
                "{replicas: 2, nodeSelector: {c: d}, imagePullSecrets: [{name: b}], ports: {webhook: null}}");

        assertThat(migration.values().get(TargetChart.CONTROLLER)).hasToString("""
                        {"replicas":2,"nodeSelector":{"a":"b","c":"d"},"imagePullSecrets":[{"name":"b"}],\
                        "ports":{"webhook":null,"metrics":2}}""");
    }

    @Test
    void mergingDoesNotChangeItsInputs() {
        var earlier = yaml("ports: {webhook: 1}");
        var later = yaml("ports: {metrics: 2}");

        ValuesMigration.merge(earlier, later);

        assertThat(earlier).hasToString("{\"ports\":{\"webhook\":1}}");
        assertThat(later).hasToString("{\"ports\":{\"metrics\":2}}");
    }

    @Test
    void convertsItsOwnResultUnchanged() {
        var once = migrate("""
                {imagePullSecrets: [a], auditScanner: {logLevel: fatal}, resources: {preDeleteJob: {requests: {cpu: 1}}},
                 policyServer: {sourceAuthorities: [{uri: a, certs: [b]}], tolerations: []}}
                """);
        var merged =
                once.values().values().stream().reduce(ValuesMigration::merge).orElseThrow();

        var twice = ValuesMigration.of(merged);

        assertThat(written(twice)).isEqualTo(written(once));
        assertThat(twice.changes()).isNotEmpty().allMatch(change -> change instanceof ValueChange.Taken);
    }

    @Test
    void reportsKeysAndNeverValues() {
        var migration = migrate("""
                {replicas: 2, nameOverride: '', image: {repository: s3cret/x}, policyServer: {sourceAuthorities: [{uri: s3cret, certs: [s3cret]}]}}
                """);

        assertThat(MigrationReport.of(migration.changes())).isEqualTo("""
                        Taken as they are: 1
                        Left out, because they are Kubewarden's defaults and have no effect here: 1
                        Mapped:
                          policyServer.sourceAuthorities: the list becomes a mapping of URI to certificates
                        Refused, and left out:
                          image.repository: it names an image of Kubewarden, or a copy of it; the chart's default applies; \
                        to use a copy of our image, name one that ends with portcullis/controller
                        """);
    }
}
