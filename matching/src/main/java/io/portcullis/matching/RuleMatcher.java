package io.portcullis.matching;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.core.overlap.ResourcePattern;
import java.util.List;
import java.util.Objects;

/** Matches requests against one rule of a webhook, in the same way as the API server. */
public record RuleMatcher(RuleWithOperations rule) {

    private static final String ANY = "*";

    public boolean matches(AdmissionAttributes request) {
        return matchesScope(request.isNamespaced())
                && matchesOperation(request.operation())
                && matchesGroup(request.group())
                && matchesVersion(request.version())
                && matchesResource(new ResourcePattern(request.resource(), request.subResource()));
    }

    public boolean matchesScope(boolean isNamespaced) {
        return switch (Objects.requireNonNullElse(rule.getScope(), ANY)) {
            case ANY -> true;
            case "Namespaced" -> isNamespaced;
            case "Cluster" -> !isNamespaced;
            default -> false;
        };
    }

    public boolean matchesOperation(String operation) {
        return lists(rule.getOperations(), operation);
    }

    public boolean matchesGroup(String group) {
        return lists(rule.getApiGroups(), group);
    }

    public boolean matchesVersion(String version) {
        return lists(rule.getApiVersions(), version);
    }

    /** @param resource a resource with its subresource, without wildcards */
    public boolean matchesResource(ResourcePattern resource) {
        return rule.getResources().stream().map(ResourcePattern::parse).anyMatch(resource::meets);
    }

    private static boolean lists(List<String> words, String wanted) {
        return words.contains(ANY) || words.contains(wanted);
    }
}
