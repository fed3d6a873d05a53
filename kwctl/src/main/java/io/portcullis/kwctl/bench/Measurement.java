package io.portcullis.kwctl.bench;

import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The times of one piece of work, in nanoseconds per iteration, one value per sample.
 *
 * <p>Sampling is linear: sample i runs i times as many iterations as the first sample. A constant overhead of the
 * measurement therefore does not count as a cost of the work.
 */
public record Measurement(double[] samples, long iterations, Duration elapsed) {

    /** Warms up, passes the result of the warm-up to the consumer, then measures. */
    public static Measurement of(Runnable work, BenchSettings settings, Consumer<WarmUp> warmedUp) {
        var warmUp = warmUp(work, settings.warmUp());
        var step = step(warmUp.meanNanos(), settings);
        warmedUp.accept(new WarmUp(warmUp.meanNanos(), total(step, settings.samples())));
        var samples = new double[settings.samples()];
        var start = System.nanoTime();
        for (var i = 0; i < samples.length; i++) {
            var iterations = step * (i + 1);
            samples[i] = timed(work, iterations) / (double) iterations;
        }
        return new Measurement(samples, total(step, settings.samples()), Duration.ofNanos(System.nanoTime() - start));
    }

    /** The mean time during the warm-up, and the number of iterations that follow from it. */
    public record WarmUp(double meanNanos, long plannedIterations) {}

    private static WarmUp warmUp(Runnable work, Duration time) {
        var start = System.nanoTime();
        var iterations = 0L;
        do {
            work.run();
            iterations++;
        } while (System.nanoTime() - start < time.toNanos());
        return new WarmUp((System.nanoTime() - start) / (double) iterations, iterations);
    }

    /** Returns the iterations of the first sample, at least one. All samples together then take about the requested time. */
    private static long step(double meanNanos, BenchSettings settings) {
        var units = settings.samples() * (settings.samples() + 1L) / 2;
        return Math.max(1, (long) (settings.measurement().toNanos() / (meanNanos * units)));
    }

    private static long total(long step, int samples) {
        return step * samples * (samples + 1L) / 2;
    }

    private static long timed(Runnable work, long iterations) {
        var start = System.nanoTime();
        for (var i = 0L; i < iterations; i++) {
            work.run();
        }
        return System.nanoTime() - start;
    }

    public double min() {
        return Arrays.stream(samples).min().orElse(0);
    }

    public double max() {
        return Arrays.stream(samples).max().orElse(0);
    }

    public double mean() {
        return Arrays.stream(samples).average().orElse(0);
    }

    public double median() {
        var sorted = samples.clone();
        Arrays.sort(sorted);
        var middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Returns the value that the given share of the samples does not exceed. */
    public double percentile(double share) {
        var sorted = samples.clone();
        Arrays.sort(sorted);
        return sorted[Math.clamp((long) Math.ceil(share * sorted.length) - 1, 0, sorted.length - 1)];
    }

    public double variance() {
        var mean = mean();
        return Arrays.stream(samples)
                        .map(value -> (value - mean) * (value - mean))
                        .sum()
                / Math.max(1, samples.length - 1);
    }
}
