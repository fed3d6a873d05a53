/**
 * Evidence of what a replica serves, and whether it proves a revision. A replica answers {@code GET /served} from the
 * routing table that requests use. The controller probes every ready replica.
 */
@NullMarked
package io.portcullis.api.evidence;

import org.jspecify.annotations.NullMarked;
