package io.portcullis.core.validation;

import io.portcullis.api.policy.PolicyContent;
import io.portcullis.api.policy.PolicyContent.Group;
import io.portcullis.api.policy.PolicyContent.Member;
import io.portcullis.api.policy.PolicyContent.Single;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Checks the content of a policy: modules and timeouts, and for groups also members, expression and message. CEL is checked
 * by the caller of {@link PolicyValidation}.
 */
final class ContentChecks {

    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://(.*)", Pattern.DOTALL);
    private static final Set<String> SCHEMES = Set.of("registry", "https", "http", "file");
    private static final Pattern MEMBER = Pattern.compile("[_a-zA-Z][_a-zA-Z0-9]*");
    private static final Set<String> RESERVED = Set.of(
            "true",
            "false",
            "null",
            "in",
            "as",
            "break",
            "const",
            "continue",
            "else",
            "for",
            "function",
            "if",
            "import",
            "let",
            "loop",
            "package",
            "namespace",
            "return",
            "var",
            "void",
            "while");
    private static final int MAX_WEBHOOK_TIMEOUT = 30;

    private final int timeoutSeconds;
    private final List<FieldError> errors = new ArrayList<>();

    private ContentChecks(int timeoutSeconds) {
        this.timeoutSeconds = timeoutSeconds;
    }

    /**
     * Checks the content of a policy.
     *
     * @param timeoutSeconds how long the API server waits for the policy
     */
    static List<FieldError> of(PolicyContent content, int timeoutSeconds) {
        var checks = new ContentChecks(timeoutSeconds);
        switch (content) {
            case Single single -> checks.single(single);
            case Group group -> checks.group(group);
        }
        return checks.errors;
    }

    private void single(Single single) {
        module("spec.module", single.module());
        if (single.timeoutEvalSeconds() != null && single.timeoutEvalSeconds() > timeoutSeconds) {
            errors.add(FieldError.invalid(
                    "spec.timeoutEvalSeconds",
                    single.timeoutEvalSeconds(),
                    "timeoutEvalSeconds cannot be greater than timeoutSeconds"));
        }
    }

    private void group(Group group) {
        if (group.policies().isEmpty()) {
            errors.add(FieldError.required("spec.policies", "policy groups must have at least one policy member"));
        }
        group.policies().forEach(this::member);
        if (group.expression().isBlank()) {
            errors.add(FieldError.required("spec.expression", "must be non-empty"));
        }
        if (group.message().isEmpty()) {
            errors.add(FieldError.required("spec.message", "must be non-empty"));
        }
        totalTimeout(group.policies());
    }

    private void member(String name, Member member) {
        if (RESERVED.contains(name) || !MEMBER.matcher(name).matches()) {
            errors.add(FieldError.invalid("spec.policies", name, "policy group member name is invalid"));
        }
        var path = "spec.policies[" + name + "]";
        module(path + ".module", member.module());
        var timeout = member.timeoutEvalSeconds();
        if (timeout == null) {
            return;
        }
        if (timeout > MAX_WEBHOOK_TIMEOUT) {
            errors.add(FieldError.invalid(
                    path + ".timeoutEvalSeconds",
                    timeout,
                    "timeoutEvalSeconds cannot be greater than " + MAX_WEBHOOK_TIMEOUT
                            + " seconds (Kubernetes webhook max timeout)"));
        }
        if (timeout > timeoutSeconds) {
            errors.add(FieldError.invalid(
                    path + ".timeoutEvalSeconds",
                    timeout,
                    "timeoutEvalSeconds cannot be greater than the group's timeoutSeconds"));
        }
    }

    private void totalTimeout(Map<String, Member> members) {
        int totalTimeout = members.values().stream()
                .map(Member::timeoutEvalSeconds)
                .filter(Objects::nonNull)
                .mapToInt(Integer::intValue)
                .sum();
        if (totalTimeout > timeoutSeconds) {
            errors.add(FieldError.invalid(
                    "spec.policies",
                    totalTimeout,
                    "the sum of the members' timeoutEvalSeconds cannot be greater than the group's timeoutSeconds"));
        }
        if (totalTimeout > MAX_WEBHOOK_TIMEOUT) {
            errors.add(FieldError.invalid(
                    "spec.policies",
                    totalTimeout,
                    "the sum of the members' timeoutEvalSeconds cannot be greater than " + MAX_WEBHOOK_TIMEOUT
                            + " seconds (Kubernetes webhook max timeout)"));
        }
    }

    private void module(String path, String module) {
        if (module.isBlank()) {
            errors.add(FieldError.required(path, "must be non-empty"));
            return;
        }
        var scheme = SCHEME.matcher(module);
        if (scheme.matches() && !SCHEMES.contains(scheme.group(1))) {
            errors.add(FieldError.invalid(path, module, "the scheme must be registry, https, http or file"));
        } else if (module.chars().anyMatch(Character::isWhitespace)
                || (scheme.matches() && scheme.group(2).isEmpty())) {
            errors.add(FieldError.invalid(path, module, "is not a valid module reference"));
        }
    }
}
