package io.portcullis.process.metrics;

import java.util.List;

/** Renders metrics in the Prometheus text format 0.0.4. */
public final class PrometheusText {

    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final StringBuilder page = new StringBuilder(4096);

    private PrometheusText() {}

    public static String render(Metrics metrics) {
        var text = new PrometheusText();
        metrics.families().forEach(text::family);
        return text.page.toString();
    }

    private void family(Family<?> family) {
        var description = family.description();
        var base = description.unit().isEmpty() ? description.name() : description.name() + "_" + description.unit();
        var declared = new boolean[1];
        family.forEach((values, sample) -> {
            var type = switch (sample) {
                case Counter _ -> "counter";
                case Gauge _ -> "gauge";
                case Histogram _ -> "histogram";
            };
            var name = sample instanceof Counter ? base + "_total" : base;
            if (!declared[0]) {
                page.append("# HELP ")
                        .append(name)
                        .append(' ')
                        .append(description.help())
                        .append('\n');
                page.append("# TYPE ").append(name).append(' ').append(type).append('\n');
                declared[0] = true;
            }
            sample(name, labels(description.labels(), values), sample);
        });
    }

    private void sample(String name, String labels, Sample sample) {
        switch (sample) {
            case Counter counter -> line(name, labels, Long.toString(counter.value()));
            case Gauge gauge -> line(name, labels, Long.toString(gauge.value()));
            case Histogram histogram -> histogram(name, labels, histogram);
        }
    }

    private void histogram(String name, String labels, Histogram histogram) {
        var bounds = histogram.bounds();
        var counts = histogram.counts();
        var total = 0L;
        for (var i = 0; i < counts.length; i++) {
            total += counts[i];
            var bound = i < bounds.length ? number(bounds[i]) : "+Inf";
            var le = "le=\"" + bound + "\"";
            line(name + "_bucket", labels.isEmpty() ? le : labels + "," + le, Long.toString(total));
        }
        line(name + "_sum", labels, number(histogram.sum()));
        line(name + "_count", labels, Long.toString(total));
    }

    private void line(String name, String labels, String value) {
        page.append(name);
        if (!labels.isEmpty()) {
            page.append('{').append(labels).append('}');
        }
        page.append(' ').append(value).append('\n');
    }

    private static String labels(List<String> names, List<String> values) {
        var text = new StringBuilder();
        for (var i = 0; i < names.size(); i++) {
            if (values.get(i).isEmpty()) {
                continue;
            }
            if (!text.isEmpty()) {
                text.append(',');
            }
            text.append(names.get(i)).append("=\"");
            text.append(
                    values.get(i).replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"));
            text.append('"');
        }
        return text.toString();
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
