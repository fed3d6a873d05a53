package io.portcullis.audit.report;

import io.portcullis.audit.evaluation.AuditVerdict;
import io.portcullis.audit.policy.AuditedPolicy;
import io.portcullis.matching.MatchOutcome;
import java.time.Instant;

/** The verdict of a policy on an object, with its time and the outcome of the matchConditions. */
public record Judgement(AuditedPolicy policy, AuditVerdict verdict, MatchOutcome conditions, Instant time) {}
