package io.portcullis.server.cluster;

import io.portcullis.process.metrics.Description;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Histogram;
import io.portcullis.process.metrics.Metrics;
import java.util.List;
import java.util.function.Supplier;

/** How long each step takes from a revision to a policy that answers. */
public final class LoadMetrics {

    private static final double[] SECONDS = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};

    /** The label. */
    public enum Step {
        /** From reference to digest, signatures included. */
        RESOLVE("resolve"),
        /** From digest to bytes, from the cache or the registry. */
        FETCH("fetch"),
        /** By the leader: compile, pre-initialise, validate settings. */
        PREPARE("prepare"),
        /** By every replica: until it can answer. */
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
        var begun = System.nanoTime();
        try {
            return work.get();
        } finally {
            seconds.with(step.wireName).record((System.nanoTime() - begun) / 1e9);
        }
    }
}
