/**
 * The work of the leader for a revision. {@link io.portcullis.server.cluster.initialization.InitializationPlan} decides,
 * {@link io.portcullis.server.cluster.initialization.LeaderWork} executes.
 */
@NullMarked
package io.portcullis.server.cluster.initialization;

import org.jspecify.annotations.NullMarked;
