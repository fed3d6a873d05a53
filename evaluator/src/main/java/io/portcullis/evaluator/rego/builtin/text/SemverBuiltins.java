package io.portcullis.evaluator.rego.builtin.text;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code semver.*}: Semantic Versioning 2.0; like OPA, accepts a leading {@code v}. */
public final class SemverBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "semver.is_valid",
                    (operands, _) -> RegoValue.of(operands.value(0) instanceof StringValue(var text)
                            && parse(text).isPresent()),
            "semver.compare", (operands, _) -> RegoValue.of(version(operands, 0).compareTo(version(operands, 1))));

    private static final String NUMBER = "(0|[1-9]\\d{0,18})";
    private static final Pattern SEMVER = Pattern.compile("v?" + NUMBER + "\\." + NUMBER + "\\." + NUMBER
            + "(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?");
    private static final Pattern LEADING_ZERO = Pattern.compile("0\\d+");
    private static final BigInteger MAX_NUMBER = BigInteger.valueOf(Long.MAX_VALUE);

    private SemverBuiltins() {}

    private static Version version(Operands operands, int position) {
        var text = operands.string(position);
        return parse(text)
                .orElseThrow(() -> new BuiltinException(
                        "operand %d: string %s is not a valid SemVer".formatted(position + 1, text)));
    }

    private static Optional<Version> parse(String text) {
        var matcher = SEMVER.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        var numbers = List.of(
                new BigInteger(matcher.group(1)), new BigInteger(matcher.group(2)), new BigInteger(matcher.group(3)));
        var preRelease = matcher.group(4) == null
                ? List.<String>of()
                : Arrays.asList(matcher.group(4).split("\\.", -1));
        boolean valid = numbers.stream().allMatch(number -> number.compareTo(MAX_NUMBER) <= 0)
                && preRelease.stream()
                        .noneMatch(part -> LEADING_ZERO.matcher(part).matches());
        return valid ? Optional.of(new Version(numbers, preRelease)) : Optional.empty();
    }

    private record Version(List<BigInteger> numbers, List<String> preRelease) implements Comparable<Version> {

        @Override
        public int compareTo(Version other) {
            for (int i = 0; i < numbers.size(); i++) {
                int order = numbers.get(i).compareTo(other.numbers.get(i));
                if (order != 0) {
                    return order;
                }
            }
            if (preRelease.isEmpty() || other.preRelease.isEmpty()) {
                return Boolean.compare(preRelease.isEmpty(), other.preRelease.isEmpty());
            }
            int common = Math.min(preRelease.size(), other.preRelease.size());
            for (int i = 0; i < common; i++) {
                int order = comparePart(preRelease.get(i), other.preRelease.get(i));
                if (order != 0) {
                    return order;
                }
            }
            return Integer.compare(preRelease.size(), other.preRelease.size());
        }

        private static int comparePart(String a, String b) {
            boolean aNumeric = isNumeric(a);
            boolean bNumeric = isNumeric(b);
            if (aNumeric != bNumeric) {
                return aNumeric ? -1 : 1;
            }
            // Numbers have no leading zeros, so the longer text is the larger number and no conversion is needed.
            int order = aNumeric && a.length() != b.length() ? Integer.compare(a.length(), b.length()) : a.compareTo(b);
            return Integer.signum(order);
        }

        private static boolean isNumeric(String part) {
            return part.chars().allMatch(c -> c >= '0' && c <= '9');
        }
    }
}
