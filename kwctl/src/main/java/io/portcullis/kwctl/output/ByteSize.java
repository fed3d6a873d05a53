package io.portcullis.kwctl.output;

import java.util.List;
import java.util.Locale;

/** Renders sizes in decimal units: {@code 999 B}, {@code 1 kB}, {@code 1.59 MB}. */
public final class ByteSize {

    private static final List<String> UNITS = List.of("B", "kB", "MB", "GB", "TB");

    private ByteSize() {}

    /** Renders a size with two decimals, or none when they are zero. */
    public static String of(long bytes) {
        var value = (double) bytes;
        var unit = 0;
        while (value >= 1000 && unit < UNITS.size() - 1) {
            value /= 1000;
            unit++;
        }
        var number = String.format(Locale.ROOT, "%.2f", value);
        return (number.endsWith(".00") ? number.substring(0, number.length() - 3) : number) + " " + UNITS.get(unit);
    }
}
