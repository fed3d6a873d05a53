package io.portcullis.evaluator.rego.builtin.jwt;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.encoding.EncodingBuiltins;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;

/** The constraints of {@code io.jwt.decode_verify}; absent texts are empty. */
record JwtConstraints(List<JwtKey> keys, String alg, String iss, String aud, BigDecimal seconds) {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final Set<RegoValue> KNOWN = Set.of(
            RegoValue.of("cert"),
            RegoValue.of("secret"),
            RegoValue.of("alg"),
            RegoValue.of("iss"),
            RegoValue.of("aud"),
            RegoValue.of("time"));

    static JwtConstraints of(ObjectValue constraints, long nowNanos) {
        for (var name : constraints.fields().keySet()) {
            if (!KNOWN.contains(name)) {
                throw new BuiltinException("unknown token validation constraint: " + name);
            }
        }
        return new JwtConstraints(
                keys(constraints),
                text(constraints, "alg"),
                text(constraints, "iss"),
                text(constraints, "aud"),
                seconds(constraints, nowNanos));
    }

    boolean allowsAlgorithm(String name) {
        return alg.isEmpty() || alg.equals(name);
    }

    private static List<JwtKey> keys(ObjectValue constraints) {
        boolean hasKeys = constraints.fields().containsKey(RegoValue.of("cert"));
        var secret = text(constraints, "secret");
        if (hasKeys && !secret.isEmpty()) {
            throw new BuiltinException("duplicate key constraints");
        }
        if (hasKeys) {
            return JwtKey.parse(text(constraints, "cert"));
        }
        if (secret.isEmpty()) {
            throw new BuiltinException("no key constraint");
        }
        return List.of(new JwtKey("", "", new JwtKey.Secret(EncodingBuiltins.utf8(secret))));
    }

    private static String text(ObjectValue constraints, String name) {
        var value = constraints.fields().get(RegoValue.of(name));
        if (value == null) {
            return "";
        }
        if (value instanceof StringValue(var text)) {
            return text;
        }
        throw new BuiltinException(name + " constraint: must be a string");
    }

    /** Returns the time in seconds; uses floating point, as OPA does. */
    private static BigDecimal seconds(ObjectValue constraints, long nowNanos) {
        var time = constraints.fields().getOrDefault(RegoValue.of("time"), RegoValue.of(nowNanos));
        if (!(time instanceof NumberValue number)) {
            throw new BuiltinException("token time constraint: must be a number");
        }
        double nanos = number.value().doubleValue();
        if (!Double.isFinite(nanos)) {
            throw new BuiltinException("token time constraint: unvalid float64");
        }
        if (nanos < 0) {
            throw new BuiltinException("token time constraint: must not be negative");
        }
        return BigDecimal.valueOf(nanos / NANOS_PER_SECOND);
    }
}
