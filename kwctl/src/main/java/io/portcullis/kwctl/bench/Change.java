package io.portcullis.kwctl.bench;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * The relative change from an earlier measurement: 0.1 is ten per cent slower.
 *
 * @param min lower end of the 95 % confidence interval
 * @param max upper end of the 95 % confidence interval
 * @param p the p-value: the probability that chance alone causes a difference as large
 */
public record Change(double min, double mean, double max, double p) {

    private static final double TAIL = 0.025;
    private static final double NOISE = 0.01;
    private static final double SIGNIFICANT = 0.05;

    /** Computes the change by bootstrap: draws repeatedly from both sets of samples, with replacement. */
    public static Change between(double[] before, double[] now, int resamples, RandomGenerator random) {
        var rounds = Math.max(1, resamples);
        var changes = new double[rounds];
        var pooled = Arrays.copyOf(before, before.length + now.length);
        System.arraycopy(now, 0, pooled, before.length, now.length);
        var observed = Math.abs(mean(now) - mean(before));
        var asLarge = 0;
        for (var i = 0; i < rounds; i++) {
            changes[i] = drawnMean(now, now.length, random) / drawnMean(before, before.length, random) - 1;
            var byChance = drawnMean(pooled, now.length, random) - drawnMean(pooled, before.length, random);
            asLarge += Math.abs(byChance) >= observed ? 1 : 0;
        }
        Arrays.sort(changes);
        return new Change(
                changes[(int) (rounds * TAIL)],
                mean(now) / mean(before) - 1,
                changes[Math.min(rounds - 1, (int) (rounds * (1 - TAIL)))],
                asLarge / (double) rounds);
    }

    /** Returns whether the change is more than noise. */
    public boolean isSignificant() {
        return Math.abs(mean) >= NOISE && p <= SIGNIFICANT;
    }

    private static double drawnMean(double[] values, int count, RandomGenerator random) {
        var sum = 0.0;
        for (var i = 0; i < count; i++) {
            sum += values[random.nextInt(values.length)];
        }
        return sum / count;
    }

    private static double mean(double[] values) {
        return Arrays.stream(values).average().orElse(0);
    }
}
