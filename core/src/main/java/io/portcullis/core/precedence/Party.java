package io.portcullis.core.precedence;

import io.portcullis.api.policy.PolicyRef;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A policy that takes part in precedence and is not being deleted.
 *
 * @param strategy strategy of a cluster-wide policy
 * @param requestedScopes scopes of its latest generation and of the generation that is currently served
 * @param enforcedScope the scope that the policy certainly enforces now. For a namespaced policy: its requested scope, while
 *     evidence proves that it is enforced. For a cluster-wide policy: the scope of its live webhook
 */
public record Party(
        PolicyRef policy,
        String key,
        Instant createdAt,
        Optional<MergeStrategy> strategy,
        List<PrecedenceScope> requestedScopes,
        Optional<PrecedenceScope> enforcedScope) {

    public Party {
        requestedScopes = List.copyOf(requestedScopes);
    }

    boolean isNamespaced() {
        return policy.kind().isNamespaced();
    }

    boolean is(MergeStrategy wanted) {
        return strategy.filter(wanted::equals).isPresent();
    }

    /** Returns whether this policy certainly enforces all requests of the other one. */
    boolean enforcesAllOf(Party other) {
        return enforcedScope()
                .filter(enforced -> other.requestedScopes().stream().allMatch(enforced::covers))
                .isPresent();
    }

    /** Returns whether both policies claim the same scope with the same strategy. */
    boolean claimsTheSameAs(Party other) {
        return strategy.equals(other.strategy()) && coversRequestsOf(other) && other.coversRequestsOf(this);
    }

    private boolean coversRequestsOf(Party other) {
        return requestedScopes.stream()
                .allMatch(own -> other.requestedScopes().stream().allMatch(own::covers));
    }
}
