/** Counters, gauges and histograms with labels. {@link io.portcullis.process.metrics.Metrics} holds them. */
@NullMarked
package io.portcullis.process.metrics;

import org.jspecify.annotations.NullMarked;
