/** Measures how long evaluations take: {@link io.portcullis.kwctl.bench.Measurement} samples, {@link io.portcullis.kwctl.bench.BenchText} tells. */
@NullMarked
package io.portcullis.kwctl.bench;

import org.jspecify.annotations.NullMarked;
