package io.portcullis.kwctl.cluster;

import static io.portcullis.kwctl.cluster.Samples.about;
import static io.portcullis.kwctl.cluster.Samples.condition;
import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policy.Policy;
import io.portcullis.api.policyserver.ReplicaReport;
import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.output.OutputFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StatusTextTest {

    private static final Policy HALF_UPDATED = Samples.inStatus(
            "Failed",
            3,
            condition("Accepted", "True", "Accepted", "ClusterAdmissionPolicy has been accepted"),
            condition("Enforced", "False", "PartiallyEnforced", "generation 3 is enforced instead of 4"),
            condition("PolicyAffected", "False", "PolicyNotAffected", "ClusterAdmissionPolicy is not affected"),
            about(4, -1, "Initialized", "True", "PolicyInitialized"),
            about(4, 0, "Ready", "True", "PolicyReady"),
            about(4, 1, "Ready", "False", "OutOfMemory"),
            about(3, 0, "Ready", "True", "PolicyReady"),
            about(3, 1, "Ready", "True", "PolicyReady"),
            about(3, 2, "Ready", "Unknown", "ReplicaStarting"));

    private static final PolicyReport REPORT = new PolicyReport(
            HALF_UPDATED,
            new Reading.Seen<>(List.of(Samples.revision(4, false, ", rollbackOf: 2"), Samples.revision(3, true, ""))),
            new Reading.Seen<>(Optional.of(Samples.webhook("kw.cap.no-privileged", 3, ""))),
            KwctlRunner.NOW);

    @Test
    void showsAnUpdateInProgress() {
        assertThat(StatusText.of(REPORT)).isEqualTo("""
                Policy:     no-privileged (ClusterAdmissionPolicy)
                Status:     pending
                Phase:      Failed
                Mode:       protect
                Generation: 4, in force: 3
                Served by:  default

                CONDITION       STATUS  REASON             MESSAGE
                Accepted        True    Accepted           ClusterAdmissionPolicy has been accepted
                Enforced        False   PartiallyEnforced  generation 3 is enforced instead of 4
                PolicyAffected  False   PolicyNotAffected  ClusterAdmissionPolicy is not affected

                REPLICA  GENERATION 4       GENERATION 3
                0        True PolicyReady   True PolicyReady
                1        False OutOfMemory  True PolicyReady
                2        -                  Unknown ReplicaStarting
                replica 1, generation 4: outofmemory happened

                REVISION  ENABLED  ACTIVE  MODE     DIGEST        AGE  ROLLBACK OF
                4         no       no      protect  0123456789ab  24h  2
                3         yes      yes     protect  0123456789ab  24h  -

                WEBHOOK                         NAME                  GENERATION  POLICY SERVER
                ValidatingWebhookConfiguration  kw.cap.no-privileged  3           default

                Why it is not enforced: generation 3 is enforced instead of 4
                What to do next:
                  - give the PolicyServer more memory (spec.limits) or fewer policies
                  - generation 3 stays in force meanwhile; `kwctl rollback cap/no-privileged` makes it the wanted one again
                """);
    }

    @Test
    void reportsAnEnforcedGenerationThatTheVerificationConfigNoLongerAccepts() {
        var report = new PolicyReport(
                Samples.inStatus(
                        "Active",
                        4,
                        condition("Enforced", "True", "Enforced", "successfully enforced"),
                        about(4, 0, "Ready", "True", "PolicyReady"),
                        about(4, -1, "Verified", "False", "SignatureNotAccepted")),
                new Reading.Seen<>(List.of()),
                new Reading.Seen<>(Optional.empty()),
                KwctlRunner.NOW);
        assertThat(StatusText.of(report)).endsWith("""
                It is enforced: every replica serves it.

                Generation 4: signaturenotaccepted happened
                What to do next:
                  - have the module signed as the PolicyServer's verification config demands (`kwctl verify` checks it), or change that config; spec.unverifiedPolicies of the PolicyServer says what happens to such policies
                """);
    }

    @Test
    void reportsForbiddenPartsAndContinues() {
        var report = new PolicyReport(
                Samples.inStatus("Active", 4, condition("Enforced", "True", "Enforced", "successfully enforced")),
                new Reading.Hidden<>("you are not allowed to list policyrevisions"),
                new Reading.Hidden<>("you are not allowed to list webhook configurations"),
                KwctlRunner.NOW);

        assertThat(StatusText.of(report)).endsWith("""
                No replica has reported on it.

                Revisions are not shown: you are not allowed to list policyrevisions. `kwctl history` lists what the status of the policy says of them.

                The webhook is not shown: you are not allowed to list webhook configurations.

                It is enforced: every replica serves it.
                """);
        assertThat(StatusDocument.of(report).path("revisionsHidden").asText()).contains("policyrevisions");
    }

    @Test
    void showsMemoryAndQuarantinedModulesOfTheServer() {
        var report = new PolicyReport(
                HALF_UPDATED,
                new Reading.Seen<>(List.of()),
                new Reading.Seen<>(Optional.empty()),
                new Reading.Seen<>(List.of(new ReplicaReport(
                        0,
                        "512Mi",
                        List.of(
                                new ReplicaReport.MemoryPart("heap", "128Mi", "48Mi"),
                                new ReplicaReport.MemoryPart("preparation", "201Mi", "0Mi")),
                        List.of(new ReplicaReport.QuarantinedModule(
                                "sha256:0123", "2026-01-01T00:01:00Z", "the module needs more than 201 MiB"))))),
                KwctlRunner.NOW);

        assertThat(StatusText.of(report)).contains("""
                SERVER REPLICA  MEMORY LIMIT  USED OF EACH PART
                0               512Mi         heap 48Mi/128Mi, preparation 0Mi/201Mi
                replica 0 quarantines sha256:0123 until 2026-01-01T00:01:00Z: the module needs more than 201 MiB
                To try a module again at once: kubectl annotate --overwrite policyserver NAME kubewarden.io/release-quarantine=DIGEST
                """);
        assertThat(StatusDocument.of(report)
                        .at("/replicaReports/0/quarantined/0/digest")
                        .asText())
                .isEqualTo("sha256:0123");
    }

    @Test
    void showsAPolicyWithoutStatus() {
        var report = new PolicyReport(
                Samples.named("AdmissionPolicy", "team-a", "new"),
                new Reading.Seen<>(List.of()),
                new Reading.Seen<>(Optional.empty()),
                KwctlRunner.NOW);

        assertThat(StatusText.of(report)).isEqualTo("""
                Policy:     team-a/new (AdmissionPolicy)
                Status:     unscheduled
                Phase:      Pending
                Mode:       unknown, wanted: protect
                Generation: 1, none in force

                No replica has reported on it.

                No webhook is registered.

                Why it is not enforced: no controller has looked at it yet
                What to do next:
                  - check that the controller is running
                """);
    }

    /** Messages quote text of modules and registries. */
    @Test
    void removesTerminalControlCharacters() {
        var report = new PolicyReport(
                Samples.inStatus("Failed", 0, condition("Enforced", "False", "NotEnforced", "a\\e[2Jb\\nc")),
                new Reading.Seen<>(List.of()),
                new Reading.Seen<>(Optional.empty()),
                KwctlRunner.NOW);

        assertThat(StatusText.of(report)).doesNotContain("\u001b").contains("a [2Jb c");
    }

    @Test
    void rendersTheSameDataAsADocument() {
        assertThat(OutputFormat.YAML.render(StatusDocument.of(REPORT), "")).isEqualTo("""
                kind: ClusterAdmissionPolicy
                name: no-privileged
                policyStatus: pending
                phase: Failed
                mode: protect
                wantedMode: protect
                generation: 4
                observedGeneration: 4
                activeGeneration: 3
                enforced: false
                why: generation 3 is enforced instead of 4
                next:
                - give the PolicyServer more memory (spec.limits) or fewer policies
                - generation 3 stays in force meanwhile; `kwctl rollback cap/no-privileged` makes it the wanted one again
                conditions:
                - type: Accepted
                  status: 'True'
                  reason: Accepted
                  message: ClusterAdmissionPolicy has been accepted
                - type: Enforced
                  status: 'False'
                  reason: PartiallyEnforced
                  message: generation 3 is enforced instead of 4
                - type: PolicyAffected
                  status: 'False'
                  reason: PolicyNotAffected
                  message: ClusterAdmissionPolicy is not affected
                replicas:
                - replica: 0
                  generations:
                  - type: Ready
                    status: 'True'
                    reason: PolicyReady
                    message: policyready happened
                    generation: 4
                  - type: Ready
                    status: 'True'
                    reason: PolicyReady
                    message: policyready happened
                    generation: 3
                - replica: 1
                  generations:
                  - type: Ready
                    status: 'False'
                    reason: OutOfMemory
                    message: outofmemory happened
                    generation: 4
                  - type: Ready
                    status: 'True'
                    reason: PolicyReady
                    message: policyready happened
                    generation: 3
                - replica: 2
                  generations:
                  - type: Ready
                    status: Unknown
                    reason: ReplicaStarting
                    message: replicastarting happened
                    generation: 3
                revisions:
                - generation: 4
                  enabled: false
                  active: false
                  mode: protect
                  digests:
                  - sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
                  created: '2026-11-14T18:54:27Z'
                  rollbackOf: 2
                - generation: 3
                  enabled: true
                  active: true
                  mode: protect
                  digests:
                  - sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
                  created: '2026-11-14T18:54:27Z'
                webhook:
                  kind: ValidatingWebhookConfiguration
                  name: kw.cap.no-privileged
                  generation: 3
                  policyServer: default
                """);
    }

    @Test
    void listsAllPoliciesInOrder() {
        var policies = List.of(HALF_UPDATED, Samples.named("AdmissionPolicy", "team-a", "new"));

        assertThat(PolicyTable.text(policies)).isEqualTo("""
                KIND                    NAMESPACE  NAME           STATUS   PHASE   MODE     GENERATION  IN FORCE  ACCEPTED  ENFORCED
                AdmissionPolicy         team-a     new            -        -       unknown  1           -         -         -
                ClusterAdmissionPolicy  -          no-privileged  pending  Failed  protect  4           3         True      False (PartiallyEnforced)
                """);
        assertThat(PolicyTable.text(List.of())).isEqualTo("There are no policies.\n");
        assertThat(PolicyTable.document(policies).findValuesAsText("name")).containsExactly("new", "no-privileged");
    }
}
