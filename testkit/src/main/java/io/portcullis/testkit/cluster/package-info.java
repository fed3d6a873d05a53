/**
 * A real Kubernetes cluster for tests. {@link io.portcullis.testkit.cluster.RealCluster} gives each test class a {@link
 * io.portcullis.testkit.cluster.TestCluster}: an isolated namespace, a client, and methods to wait and to inject
 * faults.
 */
@NullMarked
package io.portcullis.testkit.cluster;

import org.jspecify.annotations.NullMarked;
