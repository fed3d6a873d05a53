/**
 * The policy server as one of several replicas in a cluster: {@link io.portcullis.server.cluster.ClusterSource} is the entry
 * point and wires the packages below, which never depend on this one.
 */
@NullMarked
package io.portcullis.server.cluster;

import org.jspecify.annotations.NullMarked;
