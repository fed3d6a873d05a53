/**
 * What a replica says it serves, and whether that proves a revision. A replica answers {@code GET /served} from the very
 * table that requests use; the controller asks every ready replica.
 */
@NullMarked
package io.portcullis.api.evidence;

import org.jspecify.annotations.NullMarked;
