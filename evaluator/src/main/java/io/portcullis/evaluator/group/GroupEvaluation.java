package io.portcullis.evaluator.group;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Cause;
import io.portcullis.evaluator.AdmissionResponse.Details;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.PolicyEvaluator;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.evaluator.group.expression.GroupExpression;
import io.portcullis.wasm.Deadline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates one request against a group. Each member runs at most once, in the order in which the expression needs it,
 * and all members share one deadline. Confined to one thread.
 *
 * <p>Differs from Kubewarden on purpose: if a member fails, the group rejects, even if the expression would turn the
 * member's rejection into acceptance. The group keeps warnings and annotations of members and prefixes them with the
 * member's name. A rejection also has a warning for the result of each evaluated member, unless these are turned off.
 */
final class GroupEvaluation {

    private static final String MUTATION = "mutation is not allowed inside of policy group";

    private final String groupId;
    private final Map<String, PolicyEvaluator> members;
    private final EvaluationRequest request;
    private final Deadline deadline;
    private final boolean memberWarnings;
    private final Map<String, MemberVerdict> verdicts = new HashMap<>();

    GroupEvaluation(
            String groupId,
            Map<String, PolicyEvaluator> members,
            EvaluationRequest request,
            Deadline deadline,
            boolean memberWarnings) {
        this.groupId = groupId;
        this.members = members;
        this.request = request;
        this.deadline = deadline;
        this.memberWarnings = memberWarnings;
    }

    PolicyVerdict run(GroupExpression expression, String message) {
        try {
            return new PolicyVerdict.Decided(
                    expression.evaluate(this::accepts) ? response(true, null) : response(false, rejection(message)));
        } catch (MemberFailure failure) {
            var status = Status.error("error evaluating policy group expression: " + failure.getMessage());
            return new PolicyVerdict.Failed(failure.cause, response(false, status));
        }
    }

    private boolean accepts(String member) {
        return verdicts.computeIfAbsent(member, this::evaluateMember).accepted;
    }

    private MemberVerdict evaluateMember(String name) {
        var member = members.get(name);
        if (member == null) {
            throw new IllegalStateException("the expression was checked against other members: " + name);
        }
        return switch (member.judge(request, deadline)) {
            case PolicyVerdict.Decided(var response) -> verdict(response);
            case PolicyVerdict.Failed(var cause, var response) ->
                throw new MemberFailure(
                        cause,
                        "error invoking " + groupId + "/" + name + ": "
                                + response.status().flatMap(Status::message).orElse("unknown error"));
        };
    }

    private static MemberVerdict verdict(AdmissionResponse response) {
        if (response.patch().isPresent()) {
            return new MemberVerdict(false, Optional.of(MUTATION), response);
        }
        return new MemberVerdict(response.allowed(), response.status().flatMap(Status::message), response);
    }

    /** Returns one cause for each evaluated member that rejected, in the order of the definition. */
    private Status rejection(String message) {
        var causes = new ArrayList<Cause>();
        members.keySet().forEach(name -> {
            var verdict = verdicts.get(name);
            if (verdict != null && !verdict.accepted) {
                causes.add(new Cause(null, verdict.message.orElse(null), "spec.policies." + name));
            }
        });
        return new Status(
                Optional.empty(),
                Optional.of(message),
                Optional.empty(),
                Optional.of(Details.causes(causes)),
                Optional.empty());
    }

    private AdmissionResponse response(boolean allowed, @Nullable Status status) {
        return new AdmissionResponse(
                request.uid(),
                allowed,
                Optional.empty(),
                Optional.ofNullable(status),
                annotations(),
                warnings(allowed));
    }

    private @Nullable List<String> warnings(boolean allowed) {
        var all = new ArrayList<String>();
        if (!allowed && memberWarnings) {
            all.addAll(MemberWarnings.of(results()));
        }
        members.keySet().forEach(name -> {
            var verdict = verdicts.get(name);
            var warnings = verdict == null ? null : verdict.response.warnings();
            if (warnings != null) {
                warnings.forEach(warning -> all.add(name + ": " + warning));
            }
        });
        return all.isEmpty() ? null : all;
    }

    /** Returns the results of the evaluated members, in the order of the definition. */
    private List<MemberWarnings.Result> results() {
        var results = new ArrayList<MemberWarnings.Result>();
        members.keySet().forEach(name -> {
            var verdict = verdicts.get(name);
            if (verdict != null) {
                results.add(new MemberWarnings.Result(name, verdict.accepted, verdict.message));
            }
        });
        return results;
    }

    private @Nullable Map<String, String> annotations() {
        var all = new TreeMap<String, String>();
        verdicts.forEach((name, verdict) -> {
            var annotations = verdict.response.auditAnnotations();
            if (annotations != null) {
                annotations.forEach((key, value) -> all.put(name + "." + key, value));
            }
        });
        return all.isEmpty() ? null : all;
    }

    private record MemberVerdict(boolean accepted, Optional<String> message, AdmissionResponse response) {}

    /** Aborts the evaluation of the expression; never escapes this class. */
    private static final class MemberFailure extends RuntimeException {

        private final EvaluationFailure cause;

        MemberFailure(EvaluationFailure cause, String message) {
            super(message, null, false, false);
            this.cause = cause;
        }
    }
}
