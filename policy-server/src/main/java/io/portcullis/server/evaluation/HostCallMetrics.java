package io.portcullis.server.evaluation;

import io.portcullis.evaluator.host.HostCallObserver;
import io.portcullis.process.metrics.Counter;
import io.portcullis.process.metrics.Description;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Histogram;
import io.portcullis.process.metrics.Metrics;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The metrics of host calls that policies make. */
public final class HostCallMetrics implements HostCallObserver {

    private static final double[] MILLISECONDS = {0.1, 0.5, 1, 5, 10, 50, 100, 500, 1000, 5000, 10000};

    private final Family<Histogram> calls;
    private final Family<Counter> cache;

    public HostCallMetrics(Metrics metrics) {
        calls = metrics.histogram(
                new Description(
                        "kubewarden_host_call_latency",
                        "milliseconds",
                        "Latency of the calls policies make to their host.",
                        List.of("policy_name", "capability", "outcome")),
                MILLISECONDS);
        cache = metrics.counter(
                "kubewarden_host_call_cache", "Lookups in the cache of host call answers.", "request", "hit");
    }

    @Override
    public void called(String policyId, String capability, Outcome outcome, Duration duration) {
        calls.with(policyId, capability, outcome.name().toLowerCase(Locale.ROOT))
                .record(duration.toNanos() / 1e6);
    }

    @Override
    public void cacheLookup(String requestType, boolean hit) {
        cache.with(requestType, Boolean.toString(hit)).increment();
    }
}
