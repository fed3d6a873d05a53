package io.portcullis.core.validation;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import java.util.ArrayList;
import java.util.List;

/** Checks {@code spec.rules}: rules must be complete, and those of namespaced kinds must not match sensitive resources. */
final class RuleChecks {

    /** Resources that namespaced policies must not match: reports, Portcullis resources and leases. */
    private static final List<Sensitive> SENSITIVE = List.of(
            new Sensitive("wgpolicyk8s.io", "policyreports"),
            new Sensitive("openreports.io", "reports"),
            new Sensitive("coordination.k8s.io", "leases"),
            new Sensitive("policies.kubewarden.io", "policyservers"),
            new Sensitive("policies.kubewarden.io", "policyrevisions"),
            new Sensitive("policies.kubewarden.io", "admissionpolicies"),
            new Sensitive("policies.kubewarden.io", "admissionpolicygroups"),
            new Sensitive("policies.kubewarden.io", "clusteradmissionpolicies"),
            new Sensitive("policies.kubewarden.io", "clusteradmissionpolicygroups"));

    private static final String PATH = "spec.rules";
    private static final String TENANT = " when using AdmissionPolicy or AdmissionPolicyGroup";
    private static final String MISSING = "a value must be specified";

    private RuleChecks() {}

    private record Sensitive(String group, String resource) {

        boolean isMatchedBy(RuleWithOperations rule) {
            return (rule.getApiGroups().contains(group) || rule.getApiGroups().contains("*"))
                    && rule.getResources().stream()
                            .anyMatch(pattern -> pattern.equals(resource)
                                    || pattern.equals("*")
                                    || pattern.equals("*/*")
                                    || pattern.startsWith(resource + "/"));
        }
    }

    static List<FieldError> of(List<RuleWithOperations> rules, boolean isNamespaced) {
        if (rules.isEmpty()) {
            return List.of(FieldError.required(PATH, MISSING));
        }
        var errors = new ArrayList<FieldError>();
        for (RuleWithOperations rule : rules) {
            completeness(rule, errors);
            if (isNamespaced) {
                wildcards(rule, errors);
                SENSITIVE.stream()
                        .filter(sensitive -> sensitive.isMatchedBy(rule))
                        .forEach(sensitive -> errors.add(FieldError.forbidden(
                                PATH,
                                "{APIGroup: %s, Resource: %s} resources cannot be targeted by AdmissionPolicy or AdmissionPolicyGroup"
                                        .formatted(sensitive.group(), sensitive.resource()))));
            }
        }
        return errors;
    }

    private static void completeness(RuleWithOperations rule, List<FieldError> errors) {
        if (rule.getOperations().isEmpty()) {
            errors.add(FieldError.required(PATH + ".operations", MISSING));
        }
        if (rule.getOperations().size() > 1 && rule.getOperations().contains("*")) {
            errors.add(FieldError.invalid(
                    PATH + ".operations",
                    String.join(",", rule.getOperations()),
                    "if '*' is present, must not specify other operations"));
        }
        if (rule.getApiGroups().isEmpty()) {
            errors.add(FieldError.required(PATH + ".apiGroups", MISSING));
        }
        if (rule.getApiVersions().isEmpty() || rule.getResources().isEmpty()) {
            errors.add(FieldError.required(PATH, "apiVersions and resources must have specified values"));
        }
        noEmptyString(PATH + ".operations", rule.getOperations(), errors);
        noEmptyString(PATH + ".rule.apiVersions", rule.getApiVersions(), errors);
        noEmptyString(PATH + ".rule.resources", rule.getResources(), errors);
    }

    private static void noEmptyString(String path, List<String> values, List<FieldError> errors) {
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i).isEmpty()) {
                errors.add(FieldError.required(path + "[" + i + "]", "must be non-empty"));
            }
        }
    }

    /** Rejects wildcards for groups and resources together, because they match all sensitive resources. */
    private static void wildcards(RuleWithOperations rule, List<FieldError> errors) {
        int group = rule.getApiGroups().indexOf("*");
        int resource =
                Math.max(rule.getResources().indexOf("*"), rule.getResources().indexOf("*/*"));
        if (group >= 0 && resource >= 0) {
            errors.add(FieldError.forbidden(
                    PATH + ".apiGroups[" + group + "]", "apiGroups cannot use wildcards" + TENANT));
            errors.add(FieldError.forbidden(
                    PATH + ".resources[" + resource + "]", "resources cannot use wildcards" + TENANT));
        }
    }
}
