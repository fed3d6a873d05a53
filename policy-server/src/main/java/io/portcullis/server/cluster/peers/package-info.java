/**
 * Modules from other replicas of the same PolicyServer, so that a replica can start without a registry. {@link
 * io.portcullis.server.cluster.peers.PeerModules} is the entry point.
 */
@NullMarked
package io.portcullis.server.cluster.peers;

import org.jspecify.annotations.NullMarked;
