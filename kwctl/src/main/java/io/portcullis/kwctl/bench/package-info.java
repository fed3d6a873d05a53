/**
 * Measures how long evaluations take. {@link io.portcullis.kwctl.bench.Measurement} takes the samples, {@link
 * io.portcullis.kwctl.bench.BenchText} renders them.
 */
@NullMarked
package io.portcullis.kwctl.bench;

import org.jspecify.annotations.NullMarked;
