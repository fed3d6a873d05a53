package io.portcullis.audit.scan;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.cluster.KubernetesApi;
import io.portcullis.audit.condition.Conditions;
import io.portcullis.audit.condition.MatchOutcome;
import io.portcullis.audit.evaluation.AuditReview;
import io.portcullis.audit.evaluation.AuditVerdict;
import io.portcullis.audit.evaluation.PolicyCaller;
import io.portcullis.audit.policy.AuditedPolicy;
import io.portcullis.audit.report.Judgement;
import io.portcullis.audit.scan.ScanPlan.Assignment;
import io.portcullis.audit.scan.ScanPlan.Work;
import io.portcullis.audit.targets.AuditedType;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Asks all policies of one object about it. Safe for use by many threads. */
final class ObjectJudge {

    /** A policy that is ready to be asked. */
    private record Ready(PolicyCaller caller, Conditions conditions) {}

    /** The object in one version, and the question about it, which is the same for all policies. */
    private record Shown(ObjectNode object, byte[] review) {}

    /** A question that will be put: the policy, the body of its request, and what its conditions came to. */
    private record Question(Ready policy, byte[] review, MatchOutcome conditions) {}

    private final KubernetesApi api;
    private final AuditReview review;
    private final InstantSource clock;
    private final int atOnce;
    private final PolicyCaller.Means means;
    private final Map<String, Ready> policies = new ConcurrentHashMap<>();

    ObjectJudge(KubernetesApi api, PolicyCaller.Means means, AuditReview review, InstantSource clock, int atOnce) {
        this.api = api;
        this.means = means;
        this.review = review;
        this.clock = clock;
        this.atOnce = atOnce;
    }

    /** @param namespaceLabels of the namespace it is in, or its own if it is one; empty for others outside */
    List<Judgement> judge(Work work, ObjectNode object, Map<String, String> namespaceLabels)
            throws InterruptedException {
        var judgements = new ArrayList<Judgement>();
        var questions = new ArrayList<Question>();
        Map<AuditedType, Optional<Shown>> versions = new HashMap<>();
        versions.put(work.type(), Optional.of(shown(object, work.type())));
        var labels = labels(object);
        for (var assignment : work.assignments()) {
            if (!mayLookAt(assignment, object, namespaceLabels)
                    || !assignment.policy().selects(labels)) {
                continue;
            }
            try {
                versions.computeIfAbsent(assignment.type(), type -> inVersion(type, object))
                        .ifPresent(shown -> question(assignment, shown).ifPresent(questions::add));
            } catch (ApiException e) {
                judgements.add(failed(assignment.policy(), e));
            }
        }
        judgements.addAll(ask(questions));
        return judgements;
    }

    /** Namespaces are judged by their own labels; other objects outside of namespaces by every policy, as at admission. */
    private static boolean mayLookAt(Assignment assignment, ObjectNode object, Map<String, String> namespaceLabels) {
        var isNamespace = assignment.type().group().isEmpty()
                && assignment.type().resource().equals("namespaces");
        if (!assignment.type().isNamespaced() && !isNamespace) {
            return true;
        }
        var namespace =
                object.path("metadata").path(isNamespace ? "name" : "namespace").asText("");
        return assignment.policy().looksInto(namespace, isNamespace ? labels(object) : namespaceLabels);
    }

    private Optional<Question> question(Assignment assignment, Shown shown) {
        var ready = policies.computeIfAbsent(assignment.policy().id(), _ -> prepare(assignment.policy()));
        var outcome = ready.conditions().isEmpty()
                ? MatchOutcome.APPLIES
                : ready.conditions().evaluate(shown.object(), AuditReview.variables(assignment.type(), shown.object()));
        return outcome instanceof MatchOutcome.DoesNotApply
                ? Optional.empty()
                : Optional.of(new Question(ready, shown.review(), outcome));
    }

    private Ready prepare(AuditedPolicy policy) {
        return new Ready(
                new PolicyCaller(policy, means),
                Conditions.compile(policy.webhook().conditions()));
    }

    /** Items of lists do not say what they are; policies want to know. */
    private Shown shown(ObjectNode object, AuditedType type) {
        object.put("apiVersion", type.apiVersion()).put("kind", type.kind());
        return new Shown(object, review.body(type, object));
    }

    /** The same object as another version shows it; empty when it is gone. */
    private Optional<Shown> inVersion(AuditedType type, ObjectNode object) {
        var metadata = object.path("metadata");
        var namespace = Optional.of(metadata.path("namespace").asText("")).filter(name -> !name.isEmpty());
        try {
            var tree = api.getTree(type.path(namespace) + "/"
                    + KubernetesApi.escape(metadata.path("name").asText()));
            return tree instanceof ObjectNode other ? Optional.of(shown(other, type)) : Optional.empty();
        } catch (ApiException e) {
            if (e.isNotFound()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private Judgement failed(AuditedPolicy policy, ApiException e) {
        return new Judgement(
                policy,
                new AuditVerdict(AuditVerdict.Result.ERROR, String.valueOf(e.getMessage()), 0),
                MatchOutcome.APPLIES,
                clock.instant());
    }

    private List<Judgement> ask(List<Question> questions) throws InterruptedException {
        return new InParallel(atOnce).map(questions, question -> {
            var verdict = question.policy().caller().judge(question.review());
            return new Judgement(question.policy().caller().policy(), verdict, question.conditions(), clock.instant());
        });
    }

    static Map<String, String> labels(ObjectNode object) {
        Map<String, String> labels = new HashMap<>();
        object.path("metadata")
                .path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return labels;
    }

    /** Policies that had to be given up, and why. */
    Map<String, String> givenUp() {
        Map<String, String> reasons = new HashMap<>();
        policies.forEach((id, ready) -> ready.caller().givenUp().ifPresent(reason -> reasons.put(id, reason)));
        return reasons;
    }
}
