package io.portcullis.server.cluster.metrics;

import io.portcullis.process.metrics.Description;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Histogram;
import io.portcullis.process.metrics.Metrics;
import java.util.List;
import java.util.function.Supplier;

/** Measures the time of each step between a new revision and a policy that answers requests. */
public final class LoadMetrics {

    private static final double[] SECONDS = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};

    /** A step; its wire name is the value of the metric label. */
    public enum Step {
        /** Resolves a reference to a digest and verifies signatures. */
        RESOLVE("resolve"),
        /** Reads the module with a digest from the cache or the registry. */
        FETCH("fetch"),
        /** The leader compiles and pre-initialises the module, and validates the settings. */
        PREPARE("prepare"),
        /** A replica loads the policy until it can answer requests. */
        LOAD("load");

        private final String wireName;

        Step(String wireName) {
            this.wireName = wireName;
        }
    }

    private final Family<Histogram> seconds;

    public LoadMetrics(Metrics metrics) {
        seconds = metrics.histogram(
                new Description(
                        "kubewarden_policy_load",
                        "seconds",
                        "Time of each step that makes a revision answer requests.",
                        List.of("step")),
                SECONDS);
    }

    public <T> T time(Step step, Supplier<T> work) {
        var start = System.nanoTime();
        try {
            return work.get();
        } finally {
            seconds.with(step.wireName).record((System.nanoTime() - start) / 1e9);
        }
    }
}
