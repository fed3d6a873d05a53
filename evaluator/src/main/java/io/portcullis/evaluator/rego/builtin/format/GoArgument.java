package io.portcullis.evaluator.rego.builtin.format;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;

/** An argument of {@link GoFormat} with its Go type in OPA. */
sealed interface GoArgument {

    String format(int verb, FormatSpec spec);

    String typeName();

    /** The text as {@code %v} prints it. */
    String plain();

    default String described() {
        return typeName() + "=" + plain();
    }

    default String badVerb(int verb) {
        return "%!" + Character.toString(verb) + "(" + described() + ")";
    }

    record Text(String value) implements GoArgument {

        @Override
        public String typeName() {
            return "string";
        }

        @Override
        public String plain() {
            return value;
        }

        @Override
        public String format(int verb, FormatSpec spec) {
            return switch (verb) {
                case 'v' -> spec.sharp ? spec.pad(GoQuote.quote(value, false)) : spec.pad(cut(spec));
                case 's' -> spec.pad(cut(spec));
                case 'q' -> spec.pad(quoted(spec));
                case 'x' -> spec.pad(hex(spec, false));
                case 'X' -> spec.pad(hex(spec, true));
                case 'T' -> spec.pad("string");
                default -> badVerb(verb);
            };
        }

        private String quoted(FormatSpec spec) {
            var text = cut(spec);
            return spec.sharp && GoQuote.canBackquote(text) ? "`" + text + "`" : GoQuote.quote(text, spec.plus);
        }

        private String cut(FormatSpec spec) {
            if (spec.precision == FormatSpec.NONE || value.codePointCount(0, value.length()) <= spec.precision) {
                return value;
            }
            return value.substring(0, value.offsetByCodePoints(0, spec.precision));
        }

        private String hex(FormatSpec spec, boolean upper) {
            var bytes = value.getBytes(StandardCharsets.UTF_8);
            int length = spec.precision == FormatSpec.NONE ? bytes.length : Math.min(spec.precision, bytes.length);
            var digits = upper ? HexFormat.of().withUpperCase() : HexFormat.of();
            var prefix = upper ? "0X" : "0x";
            if (spec.space) {
                digits = digits.withDelimiter(" ");
                if (spec.sharp) {
                    digits = digits.withPrefix(prefix);
                }
                return digits.formatHex(bytes, 0, length);
            }
            return (spec.sharp && length > 0 ? prefix : "") + digits.formatHex(bytes, 0, length);
        }
    }

    record Whole(BigInteger value, String typeName) implements GoArgument {

        @Override
        public String plain() {
            return value.toString();
        }

        @Override
        public String described() {
            // Go's fmt would print the fields of the pointer for a big.Int that it cannot format. The value is more
            // useful.
            return typeName + "=" + plain();
        }

        @Override
        public String format(int verb, FormatSpec spec) {
            return switch (verb) {
                case 'v', 'd' -> number(10, "", false, spec);
                case 'b' -> number(2, "0b", false, spec);
                case 'o' -> number(8, "0", false, spec);
                case 'O' -> octal(spec);
                case 'x' -> number(16, "0x", false, spec);
                case 'X' -> number(16, "0X", true, spec);
                case 'c' -> spec.pad(character());
                case 'q' -> spec.pad(GoQuote.quoteRune(character(), spec.plus));
                case 'U' -> unicode(spec);
                case 'T' -> spec.pad(typeName);
                default -> badVerb(verb);
            };
        }

        private String octal(FormatSpec spec) {
            boolean negative = value.signum() < 0;
            return spec.pad((negative ? "-" : "") + "0o" + value.abs().toString(8));
        }

        private String number(int base, String prefix, boolean upper, FormatSpec spec) {
            var digits = value.abs().toString(base);
            if (upper) {
                digits = digits.toUpperCase(Locale.ROOT);
            }
            var sign = value.signum() < 0 ? "-" : spec.plus ? "+" : spec.space ? " " : "";
            if (spec.precision != FormatSpec.NONE) {
                if (spec.precision == 0 && value.signum() == 0) {
                    return spec.minus || spec.width <= 0 ? spec.pad("") : " ".repeat(spec.width);
                }
                digits = "0".repeat(Math.max(0, spec.precision - digits.length())) + digits;
            } else if (spec.padsWithZeros() && spec.width > 0) {
                digits = "0".repeat(Math.max(0, spec.width - sign.length() - digits.length())) + digits;
            }
            if (spec.sharp && !prefix.isEmpty() && !(base == 8 && digits.startsWith("0"))) {
                digits = prefix + digits;
            }
            var text = sign + digits;
            int missing = spec.width - text.length();
            if (missing <= 0) {
                return text;
            }
            return spec.minus ? text + " ".repeat(missing) : " ".repeat(missing) + text;
        }

        private String character() {
            boolean valid =
                    value.signum() >= 0 && value.bitLength() < 22 && Character.isValidCodePoint(value.intValue());
            return valid ? Character.toString(value.intValue()) : "\ufffd";
        }

        private String unicode(FormatSpec spec) {
            var text = "U+%04X".formatted(value.longValue());
            return spec.pad(spec.sharp ? text + " '" + character() + "'" : text);
        }
    }

    record Floating(double value) implements GoArgument {

        @Override
        public String typeName() {
            return "float64";
        }

        @Override
        public String plain() {
            return GoFloat.shortest(value, 'g', 6);
        }

        @Override
        public String format(int verb, FormatSpec spec) {
            return switch (verb) {
                case 'v' ->
                    sized(
                            spec.precision == FormatSpec.NONE ? plain() : GoFloat.format(value, 'g', spec.precision),
                            spec);
                case 'g', 'G' -> sized(cased(verb, general(spec)), spec);
                case 'e', 'E' -> sized(cased(verb, GoFloat.format(value, 'e', orSix(spec))), spec);
                case 'f', 'F' -> sized(GoFloat.format(value, 'f', orSix(spec)), spec);
                case 'T' -> spec.pad("float64");
                default -> badVerb(verb);
            };
        }

        private String general(FormatSpec spec) {
            return spec.precision == FormatSpec.NONE
                    ? GoFloat.shortest(value, 'g', 6)
                    : GoFloat.format(value, 'g', spec.precision);
        }

        private static int orSix(FormatSpec spec) {
            return spec.precision == FormatSpec.NONE ? 6 : spec.precision;
        }

        private static String cased(int verb, String text) {
            return Character.isUpperCase(verb) ? text.toUpperCase(Locale.ROOT) : text;
        }

        private static String sized(String digits, FormatSpec spec) {
            boolean negative = digits.startsWith("-");
            var sign = negative ? "-" : spec.plus ? "+" : spec.space ? " " : "";
            var rest = negative ? digits.substring(1) : digits;
            if (spec.padsWithZeros() && spec.width > 0) {
                rest = "0".repeat(Math.max(0, spec.width - sign.length() - rest.length())) + rest;
            }
            var text = sign + rest;
            int missing = spec.width - text.length();
            if (missing <= 0) {
                return text;
            }
            return spec.minus ? text + " ".repeat(missing) : " ".repeat(missing) + text;
        }
    }
}
