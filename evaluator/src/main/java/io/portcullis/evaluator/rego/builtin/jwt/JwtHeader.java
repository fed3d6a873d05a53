package io.portcullis.evaluator.rego.builtin.jwt;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.util.Set;

/** The header fields of a token that matter for verification; absent texts are empty. */
record JwtHeader(String alg, String kid, String cty, boolean isCriticalKnown) {

    private static final Set<RegoValue> KNOWN = Set.of(
            RegoValue.of("alg"), RegoValue.of("kid"), RegoValue.of("typ"), RegoValue.of("cty"), RegoValue.of("crit"));

    static JwtHeader of(ObjectValue header) {
        text(header, "typ");
        return new JwtHeader(text(header, "alg"), text(header, "kid"), text(header, "cty"), criticalIsKnown(header));
    }

    boolean isValid() {
        return !alg.isEmpty() && isCriticalKnown;
    }

    private static String text(ObjectValue header, String name) {
        var value = header.fields().get(RegoValue.of(name));
        if (value == null) {
            return "";
        }
        if (value instanceof StringValue(var text)) {
            return text;
        }
        throw new BuiltinException(name + ": must be a string");
    }

    /** Returns whether all parameters that are present and marked critical are supported. */
    private static boolean criticalIsKnown(ObjectValue header) {
        var critical = header.fields().get(RegoValue.of("crit"));
        if (critical == null) {
            return true;
        }
        if (!(critical instanceof ArrayValue(var items))) {
            throw new BuiltinException("crit: must be a list");
        }
        if (items.isEmpty() || !(items.getFirst() instanceof StringValue)) {
            throw new BuiltinException("crit: must be a nonempty list");
        }
        return items.stream()
                .takeWhile(StringValue.class::isInstance)
                .noneMatch(item -> header.fields().containsKey(item) && !KNOWN.contains(item));
    }
}
