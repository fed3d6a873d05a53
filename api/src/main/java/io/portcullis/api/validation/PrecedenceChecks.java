package io.portcullis.api.validation;

import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.precedence.MergeStrategy;
import io.portcullis.api.precedence.OptIn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The annotations of precedence. What is wrong is refused when it is said, and held against nobody later. */
final class PrecedenceChecks {

    private PrecedenceChecks() {}

    static List<FieldError> created(Policy policy) {
        return errors(policy, Map.of());
    }

    static List<FieldError> changed(Policy policy, Policy old) {
        return errors(policy, annotations(old));
    }

    private static List<FieldError> errors(Policy policy, Map<String, String> before) {
        var errors = new ArrayList<FieldError>();
        news(policy, PolicyNames.POLICY_KEY, before)
                .filter(key -> !OptIn.isKey(key))
                .ifPresent(key -> errors.add(FieldError.invalid(
                        path(PolicyNames.POLICY_KEY),
                        key,
                        "must be 1 to 63 letters, digits, '-', '_' or '.', and begin and end with a letter or digit")));
        if (!policy.policyKind().isNamespaced()) {
            news(policy, PolicyNames.MERGE_STRATEGY, before)
                    .filter(strategy -> MergeStrategy.parse(strategy).isEmpty())
                    .ifPresent(strategy -> errors.add(FieldError.invalid(
                            path(PolicyNames.MERGE_STRATEGY), strategy, "must be defaults or overrides")));
        }
        return errors;
    }

    static List<String> warnings(Policy policy) {
        var annotations = annotations(policy);
        if (!annotations.containsKey(PolicyNames.MERGE_STRATEGY)) {
            return List.of();
        }
        if (policy.policyKind().isNamespaced()) {
            return List.of("annotation %s has no effect on %s: only cluster-wide policies decide about precedence"
                    .formatted(PolicyNames.MERGE_STRATEGY, policy.getKind()));
        }
        return annotations.containsKey(PolicyNames.POLICY_KEY)
                ? List.of()
                : List.of("annotation %s has no effect without annotation %s"
                        .formatted(PolicyNames.MERGE_STRATEGY, PolicyNames.POLICY_KEY));
    }

    private static Optional<String> news(Policy policy, String annotation, Map<String, String> before) {
        return Optional.ofNullable(annotations(policy).get(annotation))
                .filter(value -> !value.equals(before.get(annotation)));
    }

    private static Map<String, String> annotations(Policy policy) {
        return Objects.requireNonNullElse(policy.getMetadata().getAnnotations(), Map.of());
    }

    private static String path(String annotation) {
        return "metadata.annotations[" + annotation + "]";
    }
}
