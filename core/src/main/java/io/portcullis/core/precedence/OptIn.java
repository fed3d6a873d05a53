package io.portcullis.core.precedence;

import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The precedence annotations of a policy. Only a cluster-wide policy can enable precedence. The key of a namespaced policy
 * has no effect until a cluster-wide policy has the same key.
 *
 * @param key key of the policies that belong together; empty when the policy does not take part
 * @param strategy strategy of a cluster-wide policy; present exactly when such a policy has a key
 * @param problem why existing annotations have no effect
 */
public record OptIn(Optional<String> key, Optional<MergeStrategy> strategy, Optional<String> problem) {

    /** The syntax of Kubernetes label values. */
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

    private static final int SHOWN = 40;
    private static final OptIn NONE = new OptIn(Optional.empty(), Optional.empty(), Optional.empty());

    public static OptIn of(Policy policy) {
        var key = policy.annotation(PolicyNames.POLICY_KEY);
        var strategy = policy.annotation(PolicyNames.MERGE_STRATEGY);
        if (key.isPresent() && !isKey(key.get())) {
            return ignored(PolicyNames.POLICY_KEY, key.get(), "is not a valid key");
        }
        if (policy.policyKind().isNamespaced()) {
            return key.isEmpty() ? NONE : new OptIn(key, Optional.empty(), Optional.empty());
        }
        if (strategy.isEmpty()) {
            return NONE;
        }
        var known = MergeStrategy.parse(strategy.get());
        if (known.isEmpty()) {
            return ignored(PolicyNames.MERGE_STRATEGY, strategy.get(), "is neither defaults nor overrides");
        }
        return key.isPresent()
                ? new OptIn(key, known, Optional.empty())
                : ignored(PolicyNames.MERGE_STRATEGY, strategy.get(), "needs annotation " + PolicyNames.POLICY_KEY);
    }

    public static boolean isKey(String value) {
        return KEY.matcher(value).matches();
    }

    private static OptIn ignored(String annotation, String value, String why) {
        var shown = value.length() > SHOWN ? value.substring(0, SHOWN) + "…" : value;
        return new OptIn(
                Optional.empty(),
                Optional.empty(),
                Optional.of("annotation " + annotation + " has no effect: \"" + shown + "\" " + why));
    }
}
