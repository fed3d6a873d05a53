/**
 * A real Kubernetes for tests. {@link io.portcullis.testkit.cluster.RealCluster} on a test class gives each of them a
 * {@link io.portcullis.testkit.cluster.TestCluster}: an isolated namespace, a client, and ways to wait and to break things.
 */
@NullMarked
package io.portcullis.testkit.cluster;

import org.jspecify.annotations.NullMarked;
