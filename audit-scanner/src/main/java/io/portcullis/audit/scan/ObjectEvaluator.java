package io.portcullis.audit.scan;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.cluster.KubernetesApi;
import io.portcullis.audit.evaluation.AuditReview;
import io.portcullis.audit.evaluation.AuditVerdict;
import io.portcullis.audit.evaluation.PolicyCaller;
import io.portcullis.audit.policy.AuditedPolicy;
import io.portcullis.audit.report.Judgement;
import io.portcullis.audit.scan.ScanPlan.Assignment;
import io.portcullis.audit.scan.ScanPlan.Work;
import io.portcullis.audit.targets.AuditedType;
import io.portcullis.matching.MatchConditions;
import io.portcullis.matching.MatchOutcome;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Evaluates one object against all its policies. Thread-safe. */
final class ObjectEvaluator {

    /** A policy with its caller and compiled conditions. */
    private record PreparedPolicy(PolicyCaller caller, MatchConditions conditions) {}

    /** An object in one API version, with its review, which is the same for all policies. */
    private record VersionedObject(ObjectNode object, byte[] review) {}

    /** A review to send: the policy, the request body, and the outcome of its conditions. */
    private record PendingReview(PreparedPolicy policy, byte[] review, MatchOutcome conditions) {}

    private final KubernetesApi api;
    private final AuditReview review;
    private final InstantSource clock;
    private final int maxConcurrent;
    private final PolicyCaller.Dependencies dependencies;
    private final Map<String, PreparedPolicy> policies = new ConcurrentHashMap<>();

    ObjectEvaluator(
            KubernetesApi api,
            PolicyCaller.Dependencies dependencies,
            AuditReview review,
            InstantSource clock,
            int maxConcurrent) {
        this.api = api;
        this.dependencies = dependencies;
        this.review = review;
        this.clock = clock;
        this.maxConcurrent = maxConcurrent;
    }

    /**
     * @param namespaceLabels labels of the object's namespace, or of the object itself if it is a Namespace; empty
     *     for other cluster-scoped objects
     */
    List<Judgement> evaluate(Work work, ObjectNode object, Map<String, String> namespaceLabels)
            throws InterruptedException {
        var judgements = new ArrayList<Judgement>();
        var pendingReviews = new ArrayList<PendingReview>();
        Map<AuditedType, Optional<VersionedObject>> versions = new HashMap<>();
        versions.put(work.type(), Optional.of(versioned(object, work.type())));
        var creation = AuditReview.attributes(work.type(), object);
        for (var assignment : work.assignments()) {
            if (!assignment.policy().selects(creation, namespaceLabels)) {
                continue;
            }
            try {
                versions.computeIfAbsent(assignment.type(), type -> inVersion(type, object))
                        .ifPresent(versioned ->
                                pendingReview(assignment, versioned).ifPresent(pendingReviews::add));
            } catch (ApiException e) {
                judgements.add(failed(assignment.policy(), e));
            }
        }
        judgements.addAll(ask(pendingReviews));
        return judgements;
    }

    private Optional<PendingReview> pendingReview(Assignment assignment, VersionedObject versioned) {
        var prepared = policies.computeIfAbsent(assignment.policy().id(), _ -> prepare(assignment.policy()));
        var outcome = prepared.conditions().isEmpty()
                ? MatchOutcome.APPLIES
                : prepared.conditions().evaluate(AuditReview.attributes(assignment.type(), versioned.object()));
        return isCalled(outcome)
                ? Optional.of(new PendingReview(prepared, versioned.review(), outcome))
                : Optional.empty();
    }

    /**
     * Reports whether the policy evaluates the object. It does so too when the API server would reject the request because
     * of an error in a condition, so that the error does not hide the object.
     */
    private static boolean isCalled(MatchOutcome outcome) {
        return switch (outcome) {
            case MatchOutcome.Applies _ -> true;
            case MatchOutcome.DoesNotApply _ -> false;
            case MatchOutcome.Failed failed -> failed.consequence() != MatchOutcome.Consequence.NOT_CALLED;
        };
    }

    private PreparedPolicy prepare(AuditedPolicy policy) {
        return new PreparedPolicy(
                new PolicyCaller(policy, dependencies),
                MatchConditions.compile(
                        policy.webhook().requests().conditions(),
                        policy.webhook().requests().failurePolicy()));
    }

    /** Adds apiVersion and kind, which list items lack and policies need. */
    private VersionedObject versioned(ObjectNode object, AuditedType type) {
        object.put("apiVersion", type.apiVersion()).put("kind", type.kind());
        return new VersionedObject(object, review.body(type, object));
    }

    /** Reads the same object in another version; empty if it was deleted. */
    private Optional<VersionedObject> inVersion(AuditedType type, ObjectNode object) {
        var metadata = object.path("metadata");
        var namespace = Optional.of(metadata.path("namespace").asText("")).filter(name -> !name.isEmpty());
        try {
            var tree = api.getTree(type.path(namespace) + "/"
                    + KubernetesApi.escape(metadata.path("name").asText()));
            return tree instanceof ObjectNode other ? Optional.of(versioned(other, type)) : Optional.empty();
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

    private List<Judgement> ask(List<PendingReview> pendingReviews) throws InterruptedException {
        return new InParallel(maxConcurrent).map(pendingReviews, pendingReview -> {
            var verdict = pendingReview.policy().caller().evaluate(pendingReview.review());
            return new Judgement(
                    pendingReview.policy().caller().policy(), verdict, pendingReview.conditions(), clock.instant());
        });
    }

    /** Returns the policies that were given up, with the reasons. */
    Map<String, String> givenUp() {
        Map<String, String> reasons = new HashMap<>();
        policies.forEach((id, prepared) -> prepared.caller().givenUp().ifPresent(reason -> reasons.put(id, reason)));
        return reasons;
    }
}
