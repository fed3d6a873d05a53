package io.portcullis.process.telemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.Data;
import io.opentelemetry.sdk.metrics.data.GaugeData;
import io.opentelemetry.sdk.metrics.data.HistogramData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.SumData;
import io.opentelemetry.sdk.metrics.export.MetricProducer;
import io.opentelemetry.sdk.resources.Resource;
import io.portcullis.process.metrics.Counter;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Gauge;
import io.portcullis.process.metrics.Histogram;
import io.portcullis.process.metrics.Metrics;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Provides our metrics to the OpenTelemetry SDK, as cumulative values since the start of the process. */
final class MetricsProducer implements MetricProducer {

    private static final AggregationTemporality CUMULATIVE = AggregationTemporality.CUMULATIVE;

    private final InstrumentationScopeInfo scope;
    private final Metrics metrics;
    private final Clock clock = Clock.systemUTC();
    private final long start = nanos(clock.instant());

    MetricsProducer(String scope, Metrics metrics) {
        this.scope = InstrumentationScopeInfo.create(scope);
        this.metrics = metrics;
    }

    @Override
    public Collection<MetricData> produce(Resource resource) {
        var now = nanos(clock.instant());
        var produced = new ArrayList<MetricData>();
        for (var family : metrics.families()) {
            var data = data(family, now);
            if (!data.isEmpty()) {
                produced.add(data.build(resource, scope, family));
            }
        }
        return produced;
    }

    private Points data(Family<?> family, long now) {
        var points = new Points(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        family.forEach((values, sample) -> {
            var attributes = attributes(family.description().labels(), values);
            switch (sample) {
                case Counter counter ->
                    points.sums().add(LongPointData.create(start, now, attributes, counter.value()));
                case Gauge gauge -> points.gauges().add(LongPointData.create(start, now, attributes, gauge.value()));
                case Histogram histogram -> points.histograms().add(histogram(histogram, now, attributes));
            }
        });
        return points;
    }

    private HistogramPointData histogram(Histogram histogram, long now, Attributes attributes) {
        return HistogramPointData.create(
                start,
                now,
                attributes,
                histogram.sum(),
                false,
                0,
                false,
                0,
                Arrays.stream(histogram.bounds()).boxed().toList(),
                Arrays.stream(histogram.counts()).boxed().toList());
    }

    private static Attributes attributes(List<String> names, List<String> values) {
        var attributes = Attributes.builder();
        for (var i = 0; i < names.size(); i++) {
            if (!values.get(i).isEmpty()) {
                attributes.put(names.get(i), values.get(i));
            }
        }
        return attributes.build();
    }

    private static long nanos(Instant instant) {
        return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
    }

    /** The points of one family; only one of the lists is filled, because a family has one type. */
    private record Points(List<LongPointData> sums, List<LongPointData> gauges, List<HistogramPointData> histograms) {

        boolean isEmpty() {
            return sums.isEmpty() && gauges.isEmpty() && histograms.isEmpty();
        }

        MetricData build(Resource resource, InstrumentationScopeInfo scope, Family<?> family) {
            if (!histograms.isEmpty()) {
                return new Produced(
                        resource,
                        scope,
                        family,
                        MetricDataType.HISTOGRAM,
                        HistogramData.create(CUMULATIVE, histograms));
            }
            if (!gauges.isEmpty()) {
                return new Produced(
                        resource, scope, family, MetricDataType.LONG_GAUGE, GaugeData.createLongGaugeData(gauges));
            }
            return new Produced(
                    resource,
                    scope,
                    family,
                    MetricDataType.LONG_SUM,
                    SumData.createLongSumData(true, CUMULATIVE, sums));
        }
    }

    private record Produced(
            Resource resource, InstrumentationScopeInfo scope, Family<?> family, MetricDataType type, Data<?> data)
            implements MetricData {

        @Override
        public Resource getResource() {
            return resource;
        }

        @Override
        public InstrumentationScopeInfo getInstrumentationScopeInfo() {
            return scope;
        }

        @Override
        public String getName() {
            return family.description().name();
        }

        @Override
        public String getDescription() {
            return family.description().help();
        }

        /** The collector turns {@code ms} into the suffix that Prometheus shows. */
        @Override
        public String getUnit() {
            return switch (family.description().unit()) {
                case "milliseconds" -> "ms";
                case "seconds" -> "s";
                case "bytes" -> "By";
                default -> "";
            };
        }

        @Override
        public MetricDataType getType() {
            return type;
        }

        @Override
        public Data<?> getData() {
            return data;
        }
    }
}
