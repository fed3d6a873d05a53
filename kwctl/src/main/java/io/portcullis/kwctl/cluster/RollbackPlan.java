package io.portcullis.kwctl.cluster;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.RevisionSummary;
import io.portcullis.core.lifecycle.Rollback;
import io.portcullis.kwctl.cli.CommandException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The rollback request for the controller.
 *
 * @param request the generation, or {@code previous} when the controller must determine it
 * @param explanation the expected effect, for the user
 */
record RollbackPlan(String request, String explanation) {

    private static final Pattern REQUEST = Pattern.compile("previous|[1-9]\\d{0,17}");

    /**
     * Plans a rollback.
     *
     * @param revisions the kept generations; if they are known, impossible rollbacks fail at once and the plan names the
     *     restored generation
     */
    static RollbackPlan of(Policy policy, String wanted, Reading<List<RevisionSummary>> revisions, Instant now) {
        if (!REQUEST.matcher(wanted).matches()) {
            throw new CommandException(
                    "cannot roll back to \"" + wanted + "\": it is neither a generation nor \"previous\"");
        }
        var generation = Diagnosis.generation(policy);
        return switch (revisions) {
            case Reading.Hidden<List<RevisionSummary>>(var why) ->
                new RollbackPlan(
                        wanted,
                        "Rolling back %s from generation %d to %s; which revisions are kept is not known: %s."
                                .formatted(policy.ref().display(), generation, name(wanted), why));
            case Reading.Seen<List<RevisionSummary>>(var rows) ->
                switch (Rollback.decide(
                        wanted,
                        generation,
                        mode(policy),
                        rows.stream().map(Rollback.Candidate::of).toList())) {
                    case Rollback.Refused(var message) -> throw new CommandException(message + kept(policy, rows, now));
                    case Rollback.To(long target) ->
                        new RollbackPlan(
                                Long.toString(target),
                                "Rolling back %s from generation %d to the content of generation %d."
                                        .formatted(policy.ref().display(), generation, target));
                };
        };
    }

    private static String name(String wanted) {
        return wanted.equals("previous") ? "the previous one" : "the content of generation " + wanted;
    }

    private static String kept(Policy policy, List<RevisionSummary> rows, Instant now) {
        return rows.isEmpty()
                ? ""
                : "\n\n"
                        + HistoryText.table(rows, PolicyReport.status(policy).activeGeneration(), now)
                                .stripTrailing();
    }

    private static PolicyMode mode(Policy policy) {
        return PolicyMode.of(PolicyReport.specMode(policy));
    }

    /** Evaluates the progress of a rollback: the controller removes the request, creates a new generation, and enforces it. */
    static StatusVerdict judge(Policy policy, long before) {
        var annotations = Objects.requireNonNullElse(policy.getMetadata().getAnnotations(), Map.<String, String>of());
        if (annotations.containsKey(PolicyNames.ROLLBACK_TO)) {
            return new StatusVerdict.Waiting("the controller has not taken up the request yet");
        }
        return Diagnosis.generation(policy) <= before
                ? new StatusVerdict.Failed(
                        "the controller did not carry it out; `kubectl describe` shows why, in its events")
                : WaitGoal.enforced().judge(policy, true);
    }
}
