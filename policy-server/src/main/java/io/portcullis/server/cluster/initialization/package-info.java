/** What the leader does for a revision: {@link io.portcullis.server.cluster.initialization.InitializationPlan} decides, {@link io.portcullis.server.cluster.initialization.LeaderWork} carries out. */
@NullMarked
package io.portcullis.server.cluster.initialization;

import org.jspecify.annotations.NullMarked;
