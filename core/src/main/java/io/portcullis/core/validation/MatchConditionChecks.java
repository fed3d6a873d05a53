package io.portcullis.core.validation;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks {@code spec.matchConditions}, except for the CEL expressions. A dry run against the API server checks whether an
 * expression compiles.
 */
final class MatchConditionChecks {

    private static final String PATH = "spec.matchConditions";
    private static final int MAX_CONDITIONS = 64;
    private static final Pattern NAME = Pattern.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
    private static final Pattern PREFIX =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private MatchConditionChecks() {}

    static List<FieldError> of(List<MatchCondition> conditions) {
        var errors = new ArrayList<FieldError>();
        if (conditions.size() > MAX_CONDITIONS) {
            errors.add(FieldError.tooMany(PATH, conditions.size(), MAX_CONDITIONS));
        }
        var names = new HashSet<String>();
        for (int i = 0; i < conditions.size(); i++) {
            var path = PATH + "[" + i + "]";
            var name = conditions.get(i).getName();
            if (isBlank(conditions.get(i).getExpression())) {
                errors.add(FieldError.required(path + ".expression", "must be non-empty"));
            }
            if (name == null || name.isEmpty()) {
                errors.add(FieldError.required(path + ".name", "must be non-empty"));
            } else if (!isQualifiedName(name)) {
                errors.add(
                        FieldError.invalid(
                                path,
                                name,
                                "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and"
                                        + " end with an alphanumeric character, with an optional DNS subdomain prefix and '/'"));
            } else if (!names.add(name)) {
                errors.add(FieldError.duplicate(path + ".name", name));
            }
        }
        return errors;
    }

    private static boolean isBlank(@Nullable String text) {
        return text == null || text.isBlank();
    }

    private static boolean isQualifiedName(String text) {
        int slash = text.indexOf('/');
        var name = text.substring(slash + 1);
        boolean isPrefixValid = slash < 0
                || (slash <= 253 && PREFIX.matcher(text.substring(0, slash)).matches());
        return isPrefixValid && name.length() <= 63 && NAME.matcher(name).matches();
    }
}
