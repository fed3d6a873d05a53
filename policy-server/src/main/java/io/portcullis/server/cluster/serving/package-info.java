/** What every replica does for a revision: {@link io.portcullis.server.cluster.serving.ServingPlan} decides, {@link io.portcullis.server.cluster.serving.Replica} carries out. */
@NullMarked
package io.portcullis.server.cluster.serving;

import org.jspecify.annotations.NullMarked;
