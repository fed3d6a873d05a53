/**
 * Reads the cluster for context-aware policies. {@link io.portcullis.capabilities.cluster.ClusterReader} is the entry: lists
 * come from watched caches that hold objects as ready-made JSON, everything else is asked of the API server.
 */
@NullMarked
package io.portcullis.capabilities.cluster;

import org.jspecify.annotations.NullMarked;
