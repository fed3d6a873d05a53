/**
 * The policy server as one of several replicas in a cluster: {@link io.portcullis.server.cluster.ClusterSource} is the entry
 * point.
 */
@NullMarked
package io.portcullis.server.cluster;

import org.jspecify.annotations.NullMarked;
