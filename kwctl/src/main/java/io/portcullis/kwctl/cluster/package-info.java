/**
 * Commands about policies in a cluster: {@code status}, {@code rollback}, {@code wait}, {@code what-applies}.
 *
 * <p>Only {@link io.portcullis.kwctl.cluster.Cluster} calls the API server; pure functions render its results. Commands
 * load the classes of the Kubernetes client only when they run, so that help and completions stay fast.
 */
@NullMarked
package io.portcullis.kwctl.cluster;

import org.jspecify.annotations.NullMarked;
