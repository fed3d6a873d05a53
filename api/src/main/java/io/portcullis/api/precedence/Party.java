package io.portcullis.api.precedence;

import io.portcullis.api.policy.PolicyRef;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A policy that takes part in precedence, and is not being deleted.
 *
 * @param strategy of a cluster-wide policy
 * @param asks what it asks to see: its latest generation, and the one that is served meanwhile
 * @param judges what it certainly judges now. Of a namespace's policy: what it asks for, while it is proved to be enforced.
 *     Of a cluster-wide policy: what its webhook, as it stands, leads to it
 */
public record Party(
        PolicyRef policy,
        String key,
        Instant createdAt,
        Optional<MergeStrategy> strategy,
        List<PrecedenceScope> asks,
        Optional<PrecedenceScope> judges) {

    public Party {
        asks = List.copyOf(asks);
    }

    boolean isNamespaced() {
        return policy.kind().isNamespaced();
    }

    boolean is(MergeStrategy wanted) {
        return strategy.filter(wanted::equals).isPresent();
    }
}
