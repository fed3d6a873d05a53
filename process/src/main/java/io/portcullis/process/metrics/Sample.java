package io.portcullis.process.metrics;

/** One time series. */
public sealed interface Sample permits Counter, Gauge, Histogram {}
