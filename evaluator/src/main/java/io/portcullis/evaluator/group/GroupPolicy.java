package io.portcullis.evaluator.group;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyEvaluator;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.evaluator.group.expression.GroupExpression;
import io.portcullis.evaluator.review.ResponseRules;
import io.portcullis.wasm.Deadline;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** A loaded group. Immutable; each request gets its own {@link GroupEvaluation}. */
final class GroupPolicy implements LoadedPolicy {

    private final String id;
    private final GroupExpression expression;
    private final String message;
    private final Map<String, PolicyEvaluator> members;
    private final Optional<Duration> budget;
    private final boolean memberWarnings;
    private final ResponseRules responseRules;

    GroupPolicy(
            String id,
            GroupExpression expression,
            String message,
            Map<String, PolicyEvaluator> members,
            Optional<Duration> budget,
            boolean memberWarnings,
            ResponseRules responseRules) {
        this.id = id;
        this.expression = expression;
        this.message = message;
        this.members = members;
        this.budget = budget;
        this.memberWarnings = memberWarnings;
        this.responseRules = responseRules;
    }

    @Override
    public PolicyVerdict audit(EvaluationRequest request, Deadline deadline) {
        var effectiveDeadline = budget.map(deadline::atMost).orElse(deadline);
        return new GroupEvaluation(id, members, request, effectiveDeadline, memberWarnings).run(expression, message);
    }

    @Override
    public AdmissionResponse enforce(PolicyVerdict verdict) {
        return responseRules.apply(verdict.response());
    }

    @Override
    public void validateSettings() {
        members.values().forEach(PolicyEvaluator::validateSettings);
    }

    @Override
    public void close() {
        members.values().forEach(PolicyEvaluator::close);
    }
}
