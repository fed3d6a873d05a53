package io.portcullis.kwctl.bench;

import java.time.Duration;

/** How long to warm up and to measure, and in how many samples. */
public record BenchSettings(Duration warmUp, Duration measurement, int samples) {}
