package io.portcullis.process.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;

class PrometheusTextTest {

    private final Metrics metrics = new Metrics();

    @Test
    void rendersCountersHistogramsAndGauges() {
        var counter = metrics.counter("requests", "All requests.", "policy", "code");
        counter.with("a\"b", "").increment();
        metrics.gauge("loaded", "Loaded now.", () -> 7);
        var histogram =
                metrics.histogram(new Description("took", "milliseconds", "How long.", List.of("policy")), 0.5, 5);
        histogram.with("p").record(0.25);
        histogram.with("p").record(5);
        histogram.with("p").record(6);

        assertThat(PrometheusText.render(metrics)).isEqualTo("""
                # HELP loaded Loaded now.
                # TYPE loaded gauge
                loaded 7
                # HELP requests_total All requests.
                # TYPE requests_total counter
                requests_total{policy="a\\"b"} 1
                # HELP took_milliseconds How long.
                # TYPE took_milliseconds histogram
                took_milliseconds_bucket{policy="p",le="0.5"} 1
                took_milliseconds_bucket{policy="p",le="5"} 2
                took_milliseconds_bucket{policy="p",le="+Inf"} 3
                took_milliseconds_sum{policy="p"} 11.25
                took_milliseconds_count{policy="p"} 3
                """);
    }

    @Test
    void limitsLabelValuesThatClientsChoose() {
        var counter = metrics.counter("n", "N.", "namespace");

        for (var i = 0; i < Family.MAX_SERIES + 50; i++) {
            counter.with("ns-" + i).increment();
        }

        assertThat(counter.with("").value()).isEqualTo(50);
    }

    @Test
    void rejectsADuplicateMetricName() {
        metrics.counter("n", "N.");

        assertThatThrownBy(() -> metrics.counter("n", "N.")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void dropsSeriesThatTheSourceNoLongerReturns() {
        var metrics = new Metrics();
        var policies = new HashMap<List<String>, Long>();
        metrics.gauges(new Description("policies", "", "Policies", List.of("name")), () -> policies);

        policies.put(List.of("a"), 1L);
        assertThat(PrometheusText.render(metrics)).contains("# TYPE policies gauge", "policies{name=\"a\"} 1");
        policies.clear();
        assertThat(PrometheusText.render(metrics)).isEmpty();
    }
}
