/**
 * Infrastructure for tests, demos and benchmarks: a real Kubernetes cluster, a real OCI registry, real processes, and
 * fault injection. It is not part of any released program.
 *
 * <p>Start with {@link io.portcullis.testkit.cluster.RealCluster}. {@code docs/test-cluster.md} explains how it works.
 */
@NullMarked
package io.portcullis.testkit;

import org.jspecify.annotations.NullMarked;
