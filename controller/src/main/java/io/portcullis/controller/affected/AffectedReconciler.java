package io.portcullis.controller.affected;

import io.fabric8.kubernetes.api.model.Namespace;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.controller.queue.Reconciler;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Works PolicyAffected out again when policies or namespaces changed, in its own time. */
public final class AffectedReconciler implements Reconciler<AffectedReconciler.Everything> {

    private final String ownNamespace;
    private final Supplier<List<Policy>> policies;
    private final Supplier<? extends Collection<Namespace>> namespaces;
    private final RateLimitedWriter publication;
    private boolean isFirst = true; // only one pass at a time

    /** There is only one thing to work out. */
    public enum Everything {
        EVERYTHING
    }

    public AffectedReconciler(
            String ownNamespace,
            Supplier<List<Policy>> policies,
            Supplier<? extends Collection<Namespace>> namespaces,
            RateLimitedWriter publication) {
        this.ownNamespace = ownNamespace;
        this.policies = policies;
        this.namespaces = namespaces;
        this.publication = publication;
    }

    @Override
    public Optional<Duration> reconcile(Everything key) {
        var all = policies.get();
        var results = AffectedPass.of(all, namespaces.get(), ownNamespace);
        if (isFirst) {
            publication.assume(agreeing(all, results));
            isFirst = false;
        }
        publication.offer(results);
        return Optional.empty();
    }

    /** What is to be told of a policy now. One that is new is looked at alone, so that its first status is complete. */
    public List<String> affectedBy(Policy policy) {
        return publication.affectedBy(policy.ref()).orElseGet(() -> {
            var others = AffectedPass.of(policy, policies.get(), namespaces.get(), ownNamespace);
            publication.assume(Map.of(policy.ref(), others));
            return others;
        });
    }

    /** Results that the statuses, as an earlier process left them, agree with. */
    private static Map<PolicyRef, List<String>> agreeing(List<Policy> policies, Map<PolicyRef, List<String>> results) {
        Map<PolicyRef, List<String>> agreeing = new HashMap<>();
        for (Policy policy : policies) {
            var result = results.get(policy.ref());
            var said = Optional.ofNullable(policy.getStatus())
                    .flatMap(status -> status.condition(ConditionType.POLICY_AFFECTED))
                    .map(Condition::isTrue);
            if (result != null && said.equals(Optional.of(!result.isEmpty()))) {
                agreeing.put(policy.ref(), result);
            }
        }
        return agreeing;
    }
}
