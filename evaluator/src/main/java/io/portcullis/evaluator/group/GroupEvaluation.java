package io.portcullis.evaluator.group;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Cause;
import io.portcullis.evaluator.AdmissionResponse.Details;
import io.portcullis.evaluator.AdmissionResponse.Status;
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
 * One request on its way through a group: asks members at most once, in the order in which the expression needs them,
 * all within one deadline. Confined to one thread.
 *
 * <p>Differs from upstream on purpose: a member that fails makes the group reject, even where the expression would
 * have turned its "no" into a "yes"; warnings and annotations of members are kept, marked with the member's name.
 */
final class GroupEvaluation {

    private static final String MUTATION = "mutation is not allowed inside of policy group";

    private final String groupId;
    private final Map<String, PolicyEvaluator> members;
    private final EvaluationRequest request;
    private final Deadline deadline;
    private final Map<String, MemberVerdict> asked = new HashMap<>();

    GroupEvaluation(
            String groupId, Map<String, PolicyEvaluator> members, EvaluationRequest request, Deadline deadline) {
        this.groupId = groupId;
        this.members = members;
        this.request = request;
        this.deadline = deadline;
    }

    AdmissionResponse run(GroupExpression expression, String message) {
        try {
            return expression.evaluate(this::accepts) ? answer(true, null) : answer(false, rejection(message));
        } catch (MemberFailure failure) {
            return answer(false, Status.error("error evaluating policy group expression: " + failure.getMessage()));
        }
    }

    private boolean accepts(String member) {
        return asked.computeIfAbsent(member, this::ask).accepted;
    }

    private MemberVerdict ask(String name) {
        var judge = members.get(name);
        if (judge == null) {
            throw new IllegalStateException("the expression was checked against other members: " + name);
        }
        return switch (judge.judge(request, deadline)) {
            case PolicyVerdict.Decided(var response) -> verdict(response);
            case PolicyVerdict.Failed(var response) ->
                throw new MemberFailure("error invoking " + groupId + "/" + name + ": "
                        + response.status().flatMap(Status::message).orElse("unknown error"));
        };
    }

    private static MemberVerdict verdict(AdmissionResponse response) {
        if (response.patch().isPresent()) {
            return new MemberVerdict(false, Optional.of(MUTATION), response);
        }
        return new MemberVerdict(response.allowed(), response.status().flatMap(Status::message), response);
    }

    /** One cause for each member that was asked and said no, in the order of the definition. */
    private Status rejection(String message) {
        var causes = new ArrayList<Cause>();
        members.keySet().forEach(name -> {
            var verdict = asked.get(name);
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

    private AdmissionResponse answer(boolean allowed, @Nullable Status status) {
        return new AdmissionResponse(
                request.uid(), allowed, Optional.empty(), Optional.ofNullable(status), annotations(), warnings());
    }

    private @Nullable List<String> warnings() {
        var all = new ArrayList<String>();
        members.keySet().forEach(name -> {
            var verdict = asked.get(name);
            var warnings = verdict == null ? null : verdict.response.warnings();
            if (warnings != null) {
                warnings.forEach(warning -> all.add(name + ": " + warning));
            }
        });
        return all.isEmpty() ? null : all;
    }

    private @Nullable Map<String, String> annotations() {
        var all = new TreeMap<String, String>();
        asked.forEach((name, verdict) -> {
            var annotations = verdict.response.auditAnnotations();
            if (annotations != null) {
                annotations.forEach((key, value) -> all.put(name + "." + key, value));
            }
        });
        return all.isEmpty() ? null : all;
    }

    private record MemberVerdict(boolean accepted, Optional<String> message, AdmissionResponse response) {}

    /** Leaves the expression; never leaves this class. */
    private static final class MemberFailure extends RuntimeException {
        MemberFailure(String message) {
            super(message, null, false, false);
        }
    }
}
