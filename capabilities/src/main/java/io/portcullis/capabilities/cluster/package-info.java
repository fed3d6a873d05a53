/**
 * Reads the cluster for context-aware policies. {@link io.portcullis.capabilities.cluster.ClusterReader} is the entry point.
 * Lists come from watched caches of serialised objects. All other calls go to the API server.
 */
@NullMarked
package io.portcullis.capabilities.cluster;

import org.jspecify.annotations.NullMarked;
