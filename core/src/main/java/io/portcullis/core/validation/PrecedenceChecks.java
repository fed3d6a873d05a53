package io.portcullis.core.validation;

import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.core.precedence.MergeStrategy;
import io.portcullis.core.precedence.OptIn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Checks the precedence annotations. An invalid value is rejected only when it is new or changed. */
final class PrecedenceChecks {

    private PrecedenceChecks() {}

    static List<FieldError> created(Policy policy) {
        return errors(policy, _ -> Optional.empty());
    }

    static List<FieldError> changed(Policy policy, Policy old) {
        return errors(policy, old::annotation);
    }

    /** @param before returns the previous value of an annotation */
    private static List<FieldError> errors(Policy policy, Function<String, Optional<String>> before) {
        var errors = new ArrayList<FieldError>();
        changedValue(policy, PolicyNames.POLICY_KEY, before)
                .filter(key -> !OptIn.isKey(key))
                .ifPresent(key -> errors.add(FieldError.invalid(
                        path(PolicyNames.POLICY_KEY),
                        key,
                        "must be 1 to 63 letters, digits, '-', '_' or '.', and begin and end with a letter or digit")));
        if (!policy.policyKind().isNamespaced()) {
            changedValue(policy, PolicyNames.MERGE_STRATEGY, before)
                    .filter(strategy -> MergeStrategy.parse(strategy).isEmpty())
                    .ifPresent(strategy -> errors.add(FieldError.invalid(
                            path(PolicyNames.MERGE_STRATEGY), strategy, "must be defaults or overrides")));
        }
        return errors;
    }

    static List<String> warnings(Policy policy) {
        if (policy.annotation(PolicyNames.MERGE_STRATEGY).isEmpty()) {
            return List.of();
        }
        if (policy.policyKind().isNamespaced()) {
            return List.of("annotation %s has no effect on %s: only cluster-wide policies decide about precedence"
                    .formatted(PolicyNames.MERGE_STRATEGY, policy.getKind()));
        }
        return policy.annotation(PolicyNames.POLICY_KEY).isPresent()
                ? List.of()
                : List.of("annotation %s has no effect without annotation %s"
                        .formatted(PolicyNames.MERGE_STRATEGY, PolicyNames.POLICY_KEY));
    }

    private static Optional<String> changedValue(
            Policy policy, String annotation, Function<String, Optional<String>> before) {
        var value = policy.annotation(annotation);
        return value.equals(before.apply(annotation)) ? Optional.empty() : value;
    }

    private static String path(String annotation) {
        return "metadata.annotations[" + annotation + "]";
    }
}
