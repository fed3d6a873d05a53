package io.portcullis.core.validation;

import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.portcullis.api.policyserver.PolicyServerSpec;
import io.portcullis.api.policyserver.Tenancy;
import io.portcullis.api.policyserver.Tenancy.ModuleSources;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks the field {@code spec.tenancy} of a PolicyServer. */
final class TenancyChecks {

    private static final String PATH = "spec.tenancy.";
    private static final Set<String> OPERATORS = Set.of("In", "NotIn", "Exists", "DoesNotExist");
    private static final String LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
    private static final String HOST = LABEL + "(?:\\." + LABEL + ")*";
    private static final Pattern HOST_NAME = Pattern.compile(HOST);
    private static final Pattern REGISTRY =
            Pattern.compile("(?:" + HOST + "|\\[[0-9a-fA-F:]+])(?::[0-9]{1,5})?", Pattern.CASE_INSENSITIVE);
    private static final Pattern REPOSITORY = Pattern.compile("[A-Za-z0-9._~-]+(?:/[A-Za-z0-9._~-]+)*(?:/\\*)?|\\*");
    private static final Pattern RESOURCE = Pattern.compile("(?:" + HOST + "/)?v[0-9][a-z0-9]* [A-Z][A-Za-z0-9]*");
    private static final Pattern DIGITS_AND_DOTS = Pattern.compile("[0-9.]+");
    private static final int MAX_ENTRIES = 64;

    private final List<FieldError> errors = new ArrayList<>();

    private TenancyChecks() {}

    static List<FieldError> of(PolicyServerSpec spec) {
        var checks = new TenancyChecks();
        checks.tenancy(spec.tenancy(), spec);
        return checks.errors;
    }

    private void tenancy(Tenancy tenancy, PolicyServerSpec spec) {
        if (tenancy.namespaceSelector() != null) {
            var expressions = tenancy.namespaceSelector().getMatchExpressions();
            for (int i = 0; i < expressions.size(); i++) {
                expression(PATH + "namespaceSelector.matchExpressions[" + i + "]", expressions.get(i));
            }
        }
        if (tenancy.moduleSources() != null) {
            sources(tenancy.moduleSources());
        }
        if (tenancy.requireSignature() && !spec.isVerifying()) {
            errors.add(FieldError.invalid(
                    PATH + "requireSignature",
                    "true",
                    "spec.verificationConfig must say which signatures are accepted"));
        }
        notNegative("maxPoliciesPerNamespace", tenancy.maxPoliciesPerNamespace());
        notNegative("maxModulesPerNamespace", tenancy.maxModulesPerNamespace());
        capabilities(tenancy, spec);
        each(
                "contextAwareResources",
                tenancy.contextAwareResources().stream()
                        .map(resource -> resource.apiVersion() + " " + resource.kind())
                        .toList(),
                TenancyChecks::resourceProblem);
        each("hostCalls.allowedNetworks", tenancy.allowedNetworks(), TenancyChecks::networkProblem);
    }

    private void expression(String path, LabelSelectorRequirement expression) {
        var operator = String.valueOf(expression.getOperator());
        if (!OPERATORS.contains(operator)) {
            errors.add(FieldError.invalid(
                    path + ".operator", operator, "must be one of: In, NotIn, Exists, DoesNotExist"));
            return;
        }
        boolean needsValues = operator.endsWith("In");
        if (needsValues == expression.getValues().isEmpty()) {
            errors.add(
                    needsValues
                            ? FieldError.required(path + ".values", "must be specified when operator is " + operator)
                            : FieldError.forbidden(
                                    path + ".values", "may not be specified when operator is " + operator));
        }
    }

    private void sources(ModuleSources sources) {
        list(
                "moduleSources.schemes",
                sources.schemes(),
                scheme -> ModuleSources.SCHEMES.contains(scheme)
                        ? ""
                        : "must be one of: " + String.join(", ", ModuleSources.SCHEMES));
        list(
                "moduleSources.registries",
                sources.registries(),
                registry -> REGISTRY.matcher(registry).matches()
                        ? ""
                        : "must be a host with an optional port, such as registry.example.com:5000");
        list("moduleSources.repositories", sources.repositories(), TenancyChecks::repositoryProblem);
    }

    private static String repositoryProblem(String pattern) {
        int slash = pattern.indexOf('/');
        return slash > 0
                        && REGISTRY.matcher(pattern.substring(0, slash)).matches()
                        && REPOSITORY.matcher(pattern.substring(slash + 1)).matches()
                ? ""
                : "must be a host and a path, such as registry.example.com/policies/*";
    }

    private void capabilities(Tenancy tenancy, PolicyServerSpec spec) {
        if (tenancy.capabilities() == null) {
            return;
        }
        errors.addAll(PolicyServerValidation.capabilities(PATH + "capabilities", tenancy.capabilities()));
        var older = spec.serving().namespacedPoliciesCapabilities();
        if (older != null && !older.equals(tenancy.capabilities())) {
            errors.add(FieldError.invalid(
                    PATH + "capabilities",
                    String.join(",", tenancy.capabilities()),
                    "differs from spec.namespacedPoliciesCapabilities; set only one of the two fields"));
        }
    }

    private void notNegative(String field, @Nullable Integer value) {
        if (value != null && value < 0) {
            errors.add(FieldError.invalid(PATH + field, value, "must be greater than or equal to 0"));
        }
    }

    /** Rejects an empty list: it looks like "allow nothing", but absent lists allow everything. */
    private void list(String field, @Nullable List<String> values, Function<String, String> problem) {
        if (values == null) {
            return;
        }
        if (values.isEmpty()) {
            errors.add(FieldError.required(
                    PATH + field, "must have at least one entry; leave the field out to allow all"));
        }
        each(field, values, problem);
    }

    private void each(String field, List<String> values, Function<String, String> problem) {
        if (values.size() > MAX_ENTRIES) {
            errors.add(FieldError.tooMany(PATH + field, values.size(), MAX_ENTRIES));
            return;
        }
        for (int i = 0; i < values.size(); i++) {
            var value = String.valueOf(values.get(i));
            var found = problem.apply(value);
            if (!found.isEmpty()) {
                errors.add(FieldError.invalid(PATH + field + "[" + i + "]", value, found));
            }
        }
    }

    private static String resourceProblem(String resource) {
        return RESOURCE.matcher(resource).matches()
                ? ""
                : "must have an apiVersion such as v1 or apps/v1, and a kind such as ConfigMap";
    }

    private static String networkProblem(String network) {
        return network.equals("*")
                        || isRange(network)
                        || (HOST_NAME.matcher(network).matches()
                                && !DIGITS_AND_DOTS.matcher(network).matches())
                ? ""
                : "must be an address range such as 10.0.0.0/8, a host name, or * for all";
    }

    /** Returns whether the text is an address or a CIDR. It does no name lookup. */
    private static boolean isRange(String text) {
        int slash = text.indexOf('/');
        var address = slash < 0 ? text : text.substring(0, slash);
        try {
            int bits = InetAddress.ofLiteral(address).getAddress().length * Byte.SIZE;
            int length = slash < 0 ? bits : Integer.parseInt(text.substring(slash + 1));
            // The JDK also accepts 10.1 and 0x0a000001 as addresses.
            boolean isDotted = bits > Integer.SIZE || address.split("\\.", -1).length == Integer.BYTES;
            return isDotted && length >= 0 && length <= bits;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
