package io.portcullis.audit.report;

import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.audit.evaluation.AuditVerdict;
import io.portcullis.audit.policy.AuditedPolicy;
import io.portcullis.audit.policy.Endpoint;
import io.portcullis.audit.policy.Webhook;
import io.portcullis.core.overlap.LabelRequirements;
import io.portcullis.matching.FailurePolicy;
import io.portcullis.matching.MatchOutcome;
import io.portcullis.matching.MatchOutcome.ConditionError;
import io.portcullis.matching.MatchOutcome.Consequence;
import io.portcullis.matching.RequestMatcher;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests every field of a report. */
class ReportTest {

    private static final Instant TIME = Instant.ofEpochSecond(1_700_000_000L, 5);

    private static ObjectNode pod() throws Exception {
        return (ObjectNode) new JsonMapper().readTree("""
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"name": "web", "namespace": "shop", "uid": "u-1", "resourceVersion": "42"}}""");
    }

    private static AuditedPolicy policy(AuditedPolicy.ReportAttributes reportAttributes) {
        var none = new LabelRequirements(Map.of());
        var webhook = new Webhook(
                Webhook.Flavour.MUTATING,
                "kw.ap.shop.p",
                new Webhook.Claim("p", "shop", "u-p"),
                new Endpoint(URI.create("https://h/audit/p/7"), "", 7),
                new RequestMatcher(List.of(), none, none, List.of(), FailurePolicy.FAIL));
        return new AuditedPolicy(
                "kw.ap.shop.p", new PolicyRef(PolicyKind.ADMISSION_POLICY, "shop", "p"), reportAttributes, webhook);
    }

    private static Report report(
            AuditedPolicy.ReportAttributes reportAttributes, AuditVerdict verdict, MatchOutcome conditions, String run)
            throws Exception {
        return Report.of(
                new Report.ReportContext(ReportKind.OPEN_REPORTS, run, 2, 1),
                pod(),
                List.of(new Judgement(policy(reportAttributes), verdict, conditions, TIME)));
    }

    private static final AuditedPolicy.ReportAttributes ATTRIBUTES =
            new AuditedPolicy.ReportAttributes("u-p", "9", "PSP", "high", false, true);
    private static final AuditVerdict FAIL = new AuditVerdict(AuditVerdict.Result.FAIL, "too privileged", 7);

    @Test
    void writesAllFieldsOfTheFormat() throws Exception {
        var report = report(ATTRIBUTES, FAIL, MatchOutcome.APPLIES, "run-1");

        assertThatJson(report.document().toString()).isEqualTo("""
                {"apiVersion": "openreports.io/v1alpha1", "kind": "Report",
                 "metadata": {"name": "u-1", "namespace": "shop",
                   "labels": {"app.kubernetes.io/managed-by": "kubewarden", "kubewarden.io/policyreport-version": "v2",
                              "kubewarden.io/audit-scanner-run-uid": "run-1"},
                   "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "u-1"}]},
                 "scope": {"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": "web", "uid": "u-1",
                           "resourceVersion": "42"},
                 "summary": {"pass": 0, "fail": 1, "warn": 0, "error": 1, "skip": 2},
                 "results": [{"source": "kubewarden", "policy": "kw.ap.shop.p", "category": "PSP", "severity": "high",
                   "timestamp": {"seconds": 1700000000, "nanos": 0}, "result": "fail", "scored": true,
                   "resourceSelector": {}, "message": "too privileged",
                   "properties": {"mutating": "true", "context-aware": "true", "policy-resource-version": "9",
                     "policy-uid": "u-p", "policy-name": "p", "policy-namespace": "shop", "policy-generation": "7"}}]}""");
    }

    @Test
    void reportsSeverityInfoForMonitoringPolicies() throws Exception {
        var reportAttributes = new AuditedPolicy.ReportAttributes("u-p", "9", "", "high", true, false);

        assertThatJson(report(reportAttributes, FAIL, MatchOutcome.APPLIES, "r")
                        .document()
                        .toString())
                .inPath("results[0].severity")
                .isEqualTo("info");
    }

    @Test
    void reportsConditionsThatWereNotEvaluated() throws Exception {
        var unknown = new MatchOutcome.Failed(
                List.of(
                        new ConditionError("no-nodes", "no such key: userInfo\n | request.userInfo", false),
                        new ConditionError("sized", "unknown function", false)),
                Consequence.UNKNOWN);

        assertThatJson(report(ATTRIBUTES, FAIL, unknown, "r").document().toString())
                .inPath("results[0].properties")
                .isObject()
                .containsEntry("match-conditions", "not-evaluated")
                .containsEntry("match-conditions-error", "no-nodes: no such key: userInfo; sized: unknown function");
    }

    @Test
    void truncatesLongMessages() throws Exception {
        var verdict = new AuditVerdict(AuditVerdict.Result.FAIL, "x".repeat(1_000_000), 7);

        assertThat(report(ATTRIBUTES, verdict, MatchOutcome.APPLIES, "r")
                        .document()
                        .at("/results/0/message")
                        .asText())
                .hasSize(Report.MAX_MESSAGE + 1)
                .endsWith("…");
    }

    @Test
    void fingerprintIgnoresOnlyTimeRunAndResourceVersion() throws Exception {
        var one = ReportFingerprint.of(
                report(ATTRIBUTES, FAIL, MatchOutcome.APPLIES, "run-1").document());
        var newer = new AuditedPolicy.ReportAttributes("u-p", "10", "PSP", "high", false, true);

        assertThat(ReportFingerprint.of(
                        report(newer, FAIL, MatchOutcome.APPLIES, "run-2").document()))
                .isEqualTo(one);
        var other = new AuditVerdict(AuditVerdict.Result.FAIL, "other words", 7);
        assertThat(ReportFingerprint.of(
                        report(ATTRIBUTES, other, MatchOutcome.APPLIES, "run-1").document()))
                .isNotEqualTo(one);
        var later = new AuditVerdict(AuditVerdict.Result.FAIL, "too privileged", 8);
        assertThat(ReportFingerprint.of(
                        report(ATTRIBUTES, later, MatchOutcome.APPLIES, "run-1").document()))
                .isNotEqualTo(one);
    }
}
