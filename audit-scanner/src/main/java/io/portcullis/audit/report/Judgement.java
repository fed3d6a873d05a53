package io.portcullis.audit.report;

import io.portcullis.audit.condition.MatchOutcome;
import io.portcullis.audit.evaluation.AuditVerdict;
import io.portcullis.audit.policy.AuditedPolicy;
import java.time.Instant;

/** What a policy said of an object, when, and whether its conditions could be asked before. */
public record Judgement(AuditedPolicy policy, AuditVerdict verdict, MatchOutcome conditions, Instant time) {}
