package io.portcullis.evaluator.rego.builtin.identifier;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.value.RegoValue;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

/** {@code uuid.*} and {@code rand.intn}. During one evaluation, the same key gives the same random value. */
public final class IdentifierBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "uuid.rfc4122", (operands, scope) -> scope.computeOnce("uuid-" + operands.string(0), () -> random(scope)),
            "uuid.parse", (operands, _) -> parse(operands.string(0)),
            "rand.intn", IdentifierBuiltins::intn);

    private static final Pattern TEXT = Pattern.compile(
            "(?i)(?:urn:uuid:)?\\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})}?");
    private static final long HUNDREDS_OF_NANOS_FROM_1582_TO_1970 = 0x01b21dd213814000L;

    private IdentifierBuiltins() {}

    private static RegoValue random(EvaluationScope scope) {
        long high = (scope.random().nextLong() & 0xffff_ffff_ffff_0fffL) | 0x4000L;
        long low = (scope.random().nextLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
        return RegoValue.of(new UUID(high, low).toString());
    }

    private static RegoValue intn(Operands operands, EvaluationScope scope) {
        var key = operands.string(0);
        int bound = Math.abs(operands.integer(1));
        if (bound == 0) {
            return RegoValue.of(0);
        }
        return scope.computeOnce(
                "rand-" + key + "-" + bound, () -> RegoValue.of(scope.random().nextInt(bound)));
    }

    private static RegoValue parse(String text) {
        var matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new BuiltinException("invalid UUID: " + text);
        }
        var uuid = UUID.fromString(String.join(
                "-", matcher.group(1), matcher.group(2), matcher.group(3), matcher.group(4), matcher.group(5)));
        var fields = new LinkedHashMap<String, RegoValue>();
        fields.put("version", RegoValue.of(uuid.version()));
        fields.put("variant", RegoValue.of(variant(uuid)));
        if (uuid.version() == 1 || uuid.version() == 2) {
            timeBased(uuid, fields);
        }
        return RegoValue.object((Map<String, RegoValue>) fields);
    }

    private static String variant(UUID uuid) {
        return switch ((int) (uuid.getLeastSignificantBits() >>> 61)) {
            case 4, 5 -> "RFC4122";
            case 6 -> "Microsoft";
            case 7 -> "Future";
            default -> "Reserved";
        };
    }

    private static void timeBased(UUID uuid, Map<String, RegoValue> fields) {
        long high = uuid.getMostSignificantBits();
        long low = uuid.getLeastSignificantBits();
        long time = (high & 0x0fffL) << 48 | (high >>> 16 & 0xffffL) << 32 | high >>> 32;
        fields.put("time", RegoValue.of((time - HUNDREDS_OF_NANOS_FROM_1582_TO_1970) * 100));
        var node = new byte[6];
        for (int i = 0; i < 6; i++) {
            node[i] = (byte) (low >>> (40 - 8 * i));
        }
        fields.put("nodeid", RegoValue.of(HexFormat.ofDelimiter("-").formatHex(node)));
        fields.put(
                "macvariables",
                RegoValue.of(((node[0] & 2) != 0 ? "local" : "global") + ":"
                        + ((node[0] & 1) != 0 ? "multicast" : "unicast")));
        fields.put("clocksequence", RegoValue.of(low >>> 48 & 0x3fff));
        if (uuid.version() == 2) {
            fields.put("id", RegoValue.of(high >>> 32));
            fields.put("domain", RegoValue.of(domain((int) (low >>> 48 & 0xff))));
        }
    }

    private static String domain(int number) {
        return switch (number) {
            case 0 -> "Person";
            case 1 -> "Group";
            case 2 -> "Org";
            default -> "Domain" + number;
        };
    }
}
