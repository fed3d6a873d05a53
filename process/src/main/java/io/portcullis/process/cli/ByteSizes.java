package io.portcullis.process.cli;

import java.util.regex.Pattern;

/** Amounts of memory as Kubernetes writes them: {@code 512Mi}, {@code 1Gi}, {@code 300M}, or a number of bytes. */
public final class ByteSizes {

    private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})(Ki|Mi|Gi|Ti|k|M|G|T)?");

    private ByteSizes() {}

    /** @throws IllegalArgumentException with a message that describes the expected form */
    public static long parse(String text) {
        var size = SIZE.matcher(text.strip());
        if (!size.matches()) {
            throw expected();
        }
        try {
            var bytes = Math.multiplyExact(Long.parseLong(size.group(1)), unit(size.group(2)));
            if (bytes > 0) {
                return bytes;
            }
        } catch (ArithmeticException e) {
            // The number is larger than the memory of any machine.
        }
        throw expected();
    }

    private static IllegalArgumentException expected() {
        return new IllegalArgumentException("expected an amount of memory such as 512Mi or 1Gi");
    }

    private static long unit(@org.jspecify.annotations.Nullable String suffix) {
        return switch (suffix) {
            case "Ki" -> 1L << 10;
            case "Mi" -> 1L << 20;
            case "Gi" -> 1L << 30;
            case "Ti" -> 1L << 40;
            case "k" -> 1_000L;
            case "M" -> 1_000_000L;
            case "G" -> 1_000_000_000L;
            case "T" -> 1_000_000_000_000L;
            case null, default -> 1L;
        };
    }
}
