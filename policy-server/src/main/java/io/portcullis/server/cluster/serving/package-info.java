/**
 * The work of every replica for a revision. {@link io.portcullis.server.cluster.serving.ServingPlan} decides,
 * {@link io.portcullis.server.cluster.serving.Replica} executes.
 */
@NullMarked
package io.portcullis.server.cluster.serving;

import org.jspecify.annotations.NullMarked;
