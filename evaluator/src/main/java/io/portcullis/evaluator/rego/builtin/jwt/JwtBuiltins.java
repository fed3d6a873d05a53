package io.portcullis.evaluator.rego.builtin.jwt;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.builtin.encoding.EncodingBuiltins;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Built-ins for JSON Web Tokens in compact serialisation: decoding and verification, no signing. */
public final class JwtBuiltins {

    public static final Map<String, Builtin> ALL = all();

    private static final RegoValue UNVERIFIED =
            RegoValue.array(RegoValue.of(false), RegoValue.object(Map.of()), RegoValue.object(Map.of()));

    private JwtBuiltins() {}

    private static Map<String, Builtin> all() {
        var all = new HashMap<String, Builtin>();
        all.put("io.jwt.decode", (operands, _) -> decode(operands.string(0)));
        all.put("io.jwt.decode_verify", JwtBuiltins::decodeVerify);
        for (var algorithm : JwtAlgorithm.values()) {
            all.put(
                    "io.jwt.verify_" + algorithm.builtinSuffix(),
                    (operands, scope) -> RegoValue.of(verify(algorithm, operands, scope)));
        }
        return Map.copyOf(all);
    }

    private static RegoValue decode(String text) {
        var token = JwtToken.parse(text);
        var header = token.decodedHeader();
        var contentType = header.fields().get(RegoValue.of("cty"));
        if (contentType != null && !(contentType instanceof StringValue)) {
            throw new BuiltinException("cty: must be a string");
        }
        var payload = token.decodedPayload();
        if (RegoValue.of("JWT").equals(contentType)) {
            return decode(withoutQuotes(payload));
        }
        return RegoValue.array(
                header,
                JwtToken.jsonObject(payload),
                RegoValue.of(HexFormat.of().formatHex(token.decodedSignature())));
    }

    /** Removes the quotes of a nested token, which is quoted JSON text. */
    private static String withoutQuotes(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && isQuote(text.charAt(start))) {
            start++;
        }
        while (end > start && isQuote(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    private static boolean isQuote(char c) {
        return c == '"' || c == '\'';
    }

    /** Verifies with the algorithm of the built-in and ignores the header's algorithm, as OPA does. */
    private static boolean verify(JwtAlgorithm algorithm, Operands operands, EvaluationScope scope) {
        var token = JwtToken.parse(operands.string(0));
        if (algorithm.isSymmetric()) {
            var secret = EncodingBuiltins.utf8(operands.string(1));
            return algorithm.verifyWithSecret(secret, token.signedBytes(), token.decodedSignature());
        }
        var keys = JwtKey.parse(operands.string(1));
        var signature = token.decodedSignature();
        var header = JwtHeader.of(token.decodedHeader());
        return anyKey(
                keys,
                header,
                scope,
                key -> key.material() instanceof JwtKey.Public(var publicKey)
                        && algorithm.verifyLeniently(publicKey, token.signedBytes(), signature));
    }

    /**
     * Tries the key that the token names, otherwise all keys. A key with an algorithm applies only to tokens with that
     * algorithm.
     */
    private static boolean anyKey(
            List<JwtKey> keys, JwtHeader header, EvaluationScope scope, Predicate<JwtKey> verifies) {
        var named = header.kid().isEmpty()
                ? Optional.<JwtKey>empty()
                : keys.stream().filter(key -> key.kid().equals(header.kid())).findFirst();
        if (named.isPresent()) {
            return verifies.test(named.get());
        }
        for (var key : keys) {
            scope.checkDeadline();
            if ((key.alg().isEmpty() || key.alg().equals(header.alg())) && verifies.test(key)) {
                return true;
            }
        }
        return false;
    }

    private static RegoValue decodeVerify(Operands operands, EvaluationScope scope) {
        var constraints = JwtConstraints.of(operands.object(1), scope.nowNanos());
        var text = operands.string(0);
        while (true) {
            var token = JwtToken.parse(text);
            var header = JwtHeader.of(token.decodedHeader());
            if (!header.isValid() || !constraints.allowsAlgorithm(header.alg())) {
                return UNVERIFIED;
            }
            if (!signatureVerifies(constraints, header, token, scope)) {
                return UNVERIFIED;
            }
            var payload = token.decodedPayload();
            if (!header.cty().equalsIgnoreCase("JWT")) {
                var claims = JwtToken.jsonObject(payload);
                return claimsHold(constraints, claims)
                        ? RegoValue.array(RegoValue.of(true), token.decodedHeader(), claims)
                        : UNVERIFIED;
            }
            text = payload;
        }
    }

    private static boolean signatureVerifies(
            JwtConstraints constraints, JwtHeader header, JwtToken token, EvaluationScope scope) {
        var signature = token.decodedSignature();
        var algorithm = JwtAlgorithm.named(header.alg());
        return algorithm.isPresent()
                && anyKey(
                        constraints.keys(),
                        header,
                        scope,
                        key -> algorithm.get().verifyStrictly(key.material(), token.signedBytes(), signature));
    }

    private static boolean claimsHold(JwtConstraints constraints, ObjectValue claims) {
        return issuerHolds(constraints, claims)
                && audienceHolds(constraints, claims)
                && time(claims, "exp")
                        .map(end -> constraints.seconds().compareTo(end) < 0)
                        .orElse(true)
                && time(claims, "nbf")
                        .map(start -> constraints.seconds().compareTo(start) >= 0)
                        .orElse(true);
    }

    private static boolean issuerHolds(JwtConstraints constraints, ObjectValue claims) {
        if (constraints.iss().isEmpty()) {
            return true;
        }
        var issuer = claims.fields().get(RegoValue.of("iss"));
        if (issuer != null && !(issuer instanceof StringValue)) {
            throw new BuiltinException("iss value must be a string");
        }
        return RegoValue.of(constraints.iss()).equals(issuer);
    }

    /** Checks the audience. A token with an audience fails if the constraints name no audience. */
    private static boolean audienceHolds(JwtConstraints constraints, ObjectValue claims) {
        var audience = claims.fields().get(RegoValue.of("aud"));
        if (audience == null) {
            return constraints.aud().isEmpty();
        }
        var expected = RegoValue.of(constraints.aud());
        return audience instanceof ArrayValue(var items) ? items.contains(expected) : audience.equals(expected);
    }

    private static Optional<BigDecimal> time(ObjectValue claims, String name) {
        var value = claims.fields().get(RegoValue.of(name));
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof NumberValue number) {
            return Optional.of(number.value());
        }
        throw new BuiltinException(name + " value must be a number");
    }
}
