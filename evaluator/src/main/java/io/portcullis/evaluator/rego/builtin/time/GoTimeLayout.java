package io.portcullis.evaluator.rego.builtin.time;

import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A layout of Go's {@code time} package: an example of the reference time, {@code Mon Jan 2 15:04:05 MST 2006}. */
public final class GoTimeLayout {

    private static final Map<String, String> NAMED = Map.of(
            "ANSIC", "Mon Jan _2 15:04:05 2006",
            "UnixDate", "Mon Jan _2 15:04:05 MST 2006",
            "RubyDate", "Mon Jan 02 15:04:05 -0700 2006",
            "RFC822", "02 Jan 06 15:04 MST",
            "RFC822Z", "02 Jan 06 15:04 -0700",
            "RFC850", "Monday, 02-Jan-06 15:04:05 MST",
            "RFC1123", "Mon, 02 Jan 2006 15:04:05 MST",
            "RFC1123Z", "Mon, 02 Jan 2006 15:04:05 -0700",
            "RFC3339", "2006-01-02T15:04:05Z07:00",
            "RFC3339Nano", "2006-01-02T15:04:05.999999999Z07:00");

    private final String text;
    private final List<Part> parts;

    private GoTimeLayout(String text, List<Part> parts) {
        this.text = text;
        this.parts = parts;
    }

    public static GoTimeLayout of(String nameOrLayout) {
        var layout = NAMED.getOrDefault(nameOrLayout, nameOrLayout);
        return new GoTimeLayout(layout, split(layout));
    }

    String format(ZonedDateTime time) {
        var out = new StringBuilder();
        for (var part : parts) {
            switch (part) {
                case Part.Literal(var literal) -> out.append(literal);
                case Part.Element(var element, var example) -> out.append(element.format(time, example));
            }
        }
        return out.toString();
    }

    public ZonedDateTime parse(String value) {
        return new GoTimeParser(text, value).parse(parts);
    }

    private static List<Part> split(String layout) {
        var parts = new ArrayList<Part>();
        var literal = new StringBuilder();
        int position = 0;
        while (position < layout.length()) {
            var element = elementAt(layout, position);
            if (element.isEmpty()) {
                literal.append(layout.charAt(position++));
                continue;
            }
            if (!literal.isEmpty()) {
                parts.add(new Part.Literal(literal.toString()));
                literal.setLength(0);
            }
            parts.add(element.get());
            position += element.get().example().length();
        }
        if (!literal.isEmpty()) {
            parts.add(new Part.Literal(literal.toString()));
        }
        return List.copyOf(parts);
    }

    private static Optional<Part.Element> elementAt(String layout, int position) {
        var fraction = fractionAt(layout, position);
        if (fraction.isPresent()) {
            return fraction;
        }
        for (var element : GoTimeElement.values()) {
            for (var example : element.examples()) {
                if (layout.startsWith(example, position) && element.isElementAt(layout, position, example)) {
                    return Optional.of(new Part.Element(element, example));
                }
            }
        }
        return Optional.empty();
    }

    /** Finds a fraction: a point or comma, then zeros or nines, not followed by a digit. */
    private static Optional<Part.Element> fractionAt(String layout, int position) {
        char first = layout.charAt(position);
        if ((first != '.' && first != ',') || position + 1 >= layout.length()) {
            return Optional.empty();
        }
        char digit = layout.charAt(position + 1);
        if (digit != '0' && digit != '9') {
            return Optional.empty();
        }
        int end = position + 1;
        while (end < layout.length() && layout.charAt(end) == digit) {
            end++;
        }
        if (end < layout.length() && Character.isDigit(layout.charAt(end))) {
            return Optional.empty();
        }
        var element = digit == '0' ? GoTimeElement.FRACTION : GoTimeElement.TRIMMED_FRACTION;
        return Optional.of(new Part.Element(element, layout.substring(position, end)));
    }

    sealed interface Part {
        record Literal(String text) implements Part {}

        record Element(GoTimeElement element, String example) implements Part {}
    }
}
