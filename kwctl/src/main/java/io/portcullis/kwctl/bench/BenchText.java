package io.portcullis.kwctl.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;

/** Renders the progress and the results of a measurement. */
public final class BenchText {

    private BenchText() {}

    public static String warmingUp(String label, BenchSettings settings) {
        return label + " warming up for " + duration((double) settings.warmUp().toNanos()) + "\n";
    }

    public static String warmedUp(String label, Measurement.WarmUp warmUp) {
        return "%s mean warm up execution time %s running %s iterations\n"
                .formatted(label, duration(warmUp.meanNanos()), count(warmUp.plannedIterations()));
    }

    public static String result(String label, Measurement measured) {
        return "%s [%s iterations in %s with %s samples]:\n\telapsed\t[min mean max]:\t[%s %s %s] (sample data: med = %s, var = %s², stddev = %s)\n"
                .formatted(
                        label,
                        count(measured.iterations()),
                        duration((double) measured.elapsed().toNanos()),
                        count(measured.samples().length),
                        duration(measured.min()),
                        duration(measured.mean()),
                        duration(measured.max()),
                        duration(measured.median()),
                        duration(measured.variance()),
                        duration(Math.sqrt(measured.variance())));
    }

    public static String change(Change change) {
        return String.format(
                Locale.ROOT,
                "\tchange\t[min mean max]:\t[%.4f%% %.4f%% %.4f%%] (p = %.2f)%s\n",
                change.min() * 100,
                change.mean() * 100,
                change.max() * 100,
                change.p(),
                change.isSignificant() ? change.mean() < 0 ? " improved" : " regressed" : "");
    }

    /** Renders the result as JSON. Times are in nanoseconds. */
    public static ObjectNode json(String label, Measurement measured) {
        var node = JsonNodeFactory.instance.objectNode().put("label", label);
        node.put("iterations", measured.iterations()).put("samples", measured.samples().length);
        node.putObject("nanoseconds")
                .put("min", measured.min())
                .put("mean", measured.mean())
                .put("median", measured.median())
                .put("p90", measured.percentile(0.90))
                .put("p99", measured.percentile(0.99))
                .put("max", measured.max())
                .put("stddev", Math.sqrt(measured.variance()));
        return node;
    }

    /** Renders a duration with two decimals, in a unit that fits its size. */
    public static String duration(double nanos) {
        if (nanos < 1e3) {
            return number("%.2fns", nanos);
        }
        if (nanos < 1e6) {
            return number("%.2fµs", nanos / 1e3);
        }
        return nanos < 1e9 ? number("%.2fms", nanos / 1e6) : number("%.2fs", nanos / 1e9);
    }

    /** Renders a count with one decimal, and with {@code thousand}, {@code M} or {@code B} by size. */
    static String count(long value) {
        if (value < 1_000) {
            return number("%.1f", (double) value);
        }
        if (value < 1_000_000) {
            return number("%.1f thousand", value / 1e3);
        }
        return value < 1_000_000_000 ? number("%.1fM", value / 1e6) : number("%.1fB", value / 1e9);
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
