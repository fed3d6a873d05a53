package io.portcullis.server.preparation;

import io.portcullis.process.metrics.Counter;
import io.portcullis.process.metrics.Description;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Histogram;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.server.preparation.child.PreparationLimits;
import java.util.List;
import java.util.function.LongSupplier;

/** Counts and times preparations. */
final class PreparationMetrics {

    private static final double[] SECONDS = {0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60};

    private final Family<Counter> preparations;
    private final Family<Histogram> seconds;

    PreparationMetrics(Metrics metrics, LongSupplier running, LongSupplier quarantined, PreparationLimits limits) {
        preparations = metrics.counter(
                "kubewarden_preparations",
                "Modules handed to a preparation process, by result: prepared, rejected, quarantined, or the limit that"
                        + " was reached.",
                "result");
        seconds = metrics.histogram(
                new Description("kubewarden_preparation", "seconds", "Time to prepare a module.", List.of()), SECONDS);
        metrics.gauge("kubewarden_preparations_running", "Preparation processes that work on a module.", running);
        metrics.gauge(
                "kubewarden_preparations_limit",
                "Preparation processes that may work at the same time.",
                limits::concurrent);
        metrics.gauge(
                "kubewarden_quarantined_modules",
                "Modules that are not prepared again for some time, because their preparation failed.",
                quarantined);
    }

    void count(String result) {
        preparations.with(result).increment();
    }

    void time(long nanoseconds) {
        seconds.with().record(nanoseconds / 1e9);
    }
}
