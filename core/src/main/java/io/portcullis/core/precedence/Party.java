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
}
