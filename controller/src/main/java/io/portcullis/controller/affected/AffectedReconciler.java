package io.portcullis.controller.affected;

import io.fabric8.kubernetes.api.model.Namespace;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.controller.queue.OnlyKey;
import io.portcullis.controller.queue.Reconciler;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Computes PolicyAffected again after policies or namespaces changed, independently of policy reconciling. */
public final class AffectedReconciler implements Reconciler<OnlyKey> {

    private final String ownNamespace;
    private final Supplier<List<Policy>> policies;
    private final Supplier<? extends Collection<Namespace>> namespaces;
    private final RateLimitedWriter writer;
    private boolean isFirst = true; // passes do not overlap

    public AffectedReconciler(
            String ownNamespace,
            Supplier<List<Policy>> policies,
            Supplier<? extends Collection<Namespace>> namespaces,
            RateLimitedWriter writer) {
        this.ownNamespace = ownNamespace;
        this.policies = policies;
        this.namespaces = namespaces;
        this.writer = writer;
    }

    @Override
    public Optional<Duration> reconcile(OnlyKey key) {
        var all = policies.get();
        var results = AffectedPass.of(all, namespaces.get(), ownNamespace);
        if (isFirst) {
            writer.assume(matching(all, results));
            isFirst = false;
        }
        writer.offer(results);
        return Optional.empty();
    }

    /**
     * The policies to report for a policy now. For a new policy they are computed at once, so that its first status is
     * complete.
     */
    public List<String> affectedBy(Policy policy) {
        return writer.affectedBy(policy.ref()).orElseGet(() -> {
            var others = AffectedPass.of(policy, policies.get(), namespaces.get(), ownNamespace);
            writer.assume(Map.of(policy.ref(), others));
            return others;
        });
    }

    /** The results that match the statuses which an earlier process wrote. */
    private static Map<PolicyRef, List<String>> matching(List<Policy> policies, Map<PolicyRef, List<String>> results) {
        Map<PolicyRef, List<String>> matching = new HashMap<>();
        for (Policy policy : policies) {
            var result = results.get(policy.ref());
            var reported = Optional.ofNullable(policy.getStatus())
                    .flatMap(status -> status.condition(ConditionType.POLICY_AFFECTED))
                    .map(Condition::isTrue);
            if (result != null && reported.equals(Optional.of(!result.isEmpty()))) {
                matching.put(policy.ref(), result);
            }
        }
        return matching;
    }
}
