package io.portcullis.kwctl.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.kwctl.cli.CommandException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Converts a ValidatingAdmissionPolicy and its binding into a policy that runs the CEL policy module.
 *
 * @param warnings the parts of the two resources that the result cannot express
 */
public record VapConversion(ObjectNode resource, List<String> warnings) {

    private static final String API = "admissionregistration.k8s.io/v1";
    private static final JsonNode DENY = JsonNodeFactory.instance.textNode("Deny");
    private static final Pattern UNKNOWN_VARIABLE = Pattern.compile("\\b(params|namespaceObject|variables)\\b");

    public static VapConversion of(JsonNode policy, JsonNode binding, String module) {
        expectKind(policy, "ValidatingAdmissionPolicy");
        expectKind(binding, "ValidatingAdmissionPolicyBinding");
        var policySpec = policy.path("spec");
        var bindingSpec = binding.path("spec");
        var resource = JsonNodeFactory.instance.objectNode();
        resource.put("apiVersion", "policies.kubewarden.io/v1").put("kind", "ClusterAdmissionPolicy");
        resource.set("metadata", binding.path("metadata"));
        var spec = resource.putObject("spec");
        spec.put("module", module);
        spec.set("settings", settings(policySpec, bindingSpec));
        spec.set("rules", rules(policySpec.path("matchConstraints").path("resourceRules")));
        spec.put("mutating", false);
        copy(policySpec.path("matchConstraints").path("matchPolicy"), spec, "matchPolicy");
        copy(bindingSpec.path("matchResources").path("namespaceSelector"), spec, "namespaceSelector");
        copy(policySpec.path("matchConstraints").path("objectSelector"), spec, "objectSelector");
        if (conditionsFit(policySpec)) {
            copy(policySpec.path("matchConditions"), spec, "matchConditions");
        }
        if (!denies(bindingSpec)) {
            spec.put("mode", "monitor");
        }
        return new VapConversion(resource, warnings(policySpec, bindingSpec, module));
    }

    /** Returns whether the match conditions use only variables that webhook match conditions support. */
    private static boolean conditionsFit(JsonNode policy) {
        return StreamSupport.stream(policy.path("matchConditions").spliterator(), false)
                .map(condition -> condition.path("expression").asText())
                .noneMatch(expression -> UNKNOWN_VARIABLE.matcher(expression).find());
    }

    /** Returns whether the binding denies requests. A binding that only audits or warns maps to monitor mode. */
    private static boolean denies(JsonNode binding) {
        var actions = binding.path("validationActions");
        return actions.isEmpty()
                || StreamSupport.stream(actions.spliterator(), false).anyMatch(DENY::equals);
    }

    private static void expectKind(JsonNode node, String kind) {
        if (!node.path("kind").asText().equals(kind)
                || !node.path("apiVersion").asText().startsWith("admissionregistration.k8s.io/")
                || !node.path("spec").isObject()) {
            throw new CommandException(
                    "cannot convert given data into a " + kind + ": expected apiVersion " + API + " and kind " + kind);
        }
    }

    private static ObjectNode settings(JsonNode policy, JsonNode binding) {
        var settings = JsonNodeFactory.instance.objectNode();
        copy(policy.path("failurePolicy"), settings, "failurePolicy");
        copy(policy.path("variables"), settings, "variables");
        var hasKind = policy.hasNonNull("paramKind");
        if (hasKind != binding.hasNonNull("paramRef")) {
            throw new CommandException(
                    "paramKind of the policy and paramRef of the binding must be present together, or both absent");
        }
        copy(policy.path("paramKind"), settings, "paramKind");
        copy(binding.path("paramRef"), settings, "paramRef");
        copy(policy.path("validations"), settings, "validations");
        return settings;
    }

    private static JsonNode rules(JsonNode resourceRules) {
        var rules = JsonNodeFactory.instance.arrayNode();
        for (var rule : resourceRules) {
            var node = rules.addObject();
            for (var key : List.of("apiGroups", "apiVersions", "resources", "operations", "scope")) {
                copy(rule.path(key), node, key);
            }
        }
        return rules;
    }

    private static void copy(JsonNode value, ObjectNode target, String key) {
        if (!value.isMissingNode() && !value.isNull()) {
            target.set(key, value);
        }
    }

    private static List<String> warnings(JsonNode policy, JsonNode binding, String module) {
        var warnings = new ArrayList<String>();
        var scheme = module.indexOf("://");
        if (scheme >= 0 && !module.startsWith("registry://")) {
            warnings.add("The CEL policy module is not an OCI reference: make sure that the cluster can reach it");
        } else if (usesLatest(module.substring(scheme < 0 ? 0 : scheme + 3))) {
            warnings.add("Using the 'latest' version of the CEL policy could lead to unexpected behavior;"
                    + " it is recommended to use a specific version");
        }
        Stream.of(
                        dropped(policy.path("auditAnnotations"), "auditAnnotations of the policy"),
                        conditionsFit(policy)
                                ? ""
                                : dropped(policy.path("matchConditions"), "matchConditions of the policy"),
                        dropped(
                                policy.path("matchConstraints").path("excludeResourceRules"),
                                "excludeResourceRules of the policy"),
                        dropped(
                                policy.path("matchConstraints").path("namespaceSelector"),
                                "namespaceSelector of the policy"),
                        dropped(binding.path("matchResources").path("resourceRules"), "resourceRules of the binding"),
                        dropped(
                                binding.path("matchResources").path("excludeResourceRules"),
                                "excludeResourceRules of the binding"),
                        dropped(binding.path("matchResources").path("objectSelector"), "objectSelector of the binding"),
                        actions(binding))
                .filter(warning -> !warning.isEmpty())
                .forEach(warnings::add);
        return warnings;
    }

    private static boolean usesLatest(String reference) {
        var name = reference.substring(reference.lastIndexOf('/') + 1);
        return !name.contains("@") && (!name.contains(":") || name.endsWith(":latest"));
    }

    private static String dropped(JsonNode value, String what) {
        return value.isMissingNode() || value.isNull() || value.isEmpty()
                ? ""
                : "The " + what + " cannot be converted and will be ignored";
    }

    private static String actions(JsonNode binding) {
        for (var action : binding.path("validationActions")) {
            if (!action.equals(DENY)) {
                return "The validation action '" + action.asText().toLowerCase(Locale.ROOT) + "' of the binding "
                        + (denies(binding)
                                ? "cannot be converted: the policy will deny"
                                : "became the mode monitor: verdicts are logged and counted only");
            }
        }
        return "";
    }
}
