/**
 * Commands about policies in a cluster: {@code status}, {@code rollback}, {@code wait}, {@code what-applies}. {@link
 * io.portcullis.kwctl.cluster.Cluster} is the only class that talks to an API server; what is said about what it found is decided
 * by pure functions. No class of the Kubernetes client is loaded before a command runs, so that help and completions stay quick.
 */
@NullMarked
package io.portcullis.kwctl.cluster;

import org.jspecify.annotations.NullMarked;
