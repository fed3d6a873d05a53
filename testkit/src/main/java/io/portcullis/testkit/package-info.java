/**
 * What tests, demos and benchmarks run against: a real Kubernetes, a real OCI registry, real processes, and ways to
 * break them. Nothing here is part of a program that users run.
 *
 * <p>Start with {@link io.portcullis.testkit.cluster.RealCluster}; {@code docs/test-cluster.md} tells how it works.
 */
@NullMarked
package io.portcullis.testkit;

import org.jspecify.annotations.NullMarked;
