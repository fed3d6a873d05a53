package io.portcullis.evaluator.rego.builtin.schema;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.encoding.GoUrl;
import io.portcullis.evaluator.rego.builtin.net.Cidr;
import io.portcullis.evaluator.rego.builtin.regex.BoundedRegex;
import io.portcullis.evaluator.rego.builtin.time.GoTimeLayout;
import java.util.List;

/** Checks {@code format} keywords; unknown formats accept everything. */
final class SchemaFormats {

    private static final Pattern HOSTNAME = Pattern.compile("^([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])"
            + "(\\.([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9]))*$");
    private static final Pattern UUID =
            Pattern.compile("^[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12}$");
    private static final Pattern TEMPLATE = Pattern.compile("^([^{]*(\\{[^}]*\\})?)*$");
    private static final Pattern POINTER = Pattern.compile("^(/([^~/]|~0|~1)*)*$");
    private static final Pattern RELATIVE_POINTER = Pattern.compile("^(0|[1-9][0-9]*)(#|(/([^~/]|~0|~1)*)*)$");
    private static final int MAX_HOSTNAME_LENGTH = 255;

    private SchemaFormats() {}

    static boolean accepts(String format, String text) {
        return switch (format) {
            case "date" -> isTime(text, "2006-01-02");
            case "time" -> isTime(text, "15:04:05Z07:00", "15:04:05");
            case "date-time" -> isTime(text, "15:04:05", "15:04:05Z07:00", "2006-01-02", "2006-01-02T15:04:05Z07:00");
            case "hostname" -> text.length() <= MAX_HOSTNAME_LENGTH && HOSTNAME.matches(text);
            case "email", "idn-email" -> MailAddress.isValid(text);
            case "ipv4" -> Cidr.Address.parse(text).isPresent() && text.contains(".");
            case "ipv6" -> Cidr.Address.parse(text).isPresent() && text.contains(":");
            case "uri", "iri" -> isUrl(text) && !GoUrl.parse(text).scheme().isEmpty();
            case "uri-reference", "iri-reference" -> isUrl(text);
            case "uri-template" ->
                isUrl(text) && TEMPLATE.matches(GoUrl.parse(text).path());
            case "uuid" -> UUID.matches(text);
            case "regex" -> isRegex(text);
            case "json-pointer" -> POINTER.matches(text);
            case "relative-json-pointer" -> RELATIVE_POINTER.matches(text);
            default -> true;
        };
    }

    private static boolean isTime(String text, String... layouts) {
        return List.of(layouts).stream().anyMatch(layout -> {
            try {
                GoTimeLayout.of(layout).parse(text);
                return true;
            } catch (BuiltinException e) {
                return false;
            }
        });
    }

    private static boolean isUrl(String text) {
        try {
            GoUrl.parse(text);
            return !text.contains("\\");
        } catch (BuiltinException e) {
            return false;
        }
    }

    private static boolean isRegex(String text) {
        try {
            BoundedRegex.compile(text);
            return true;
        } catch (PatternSyntaxException e) {
            return false;
        }
    }
}
