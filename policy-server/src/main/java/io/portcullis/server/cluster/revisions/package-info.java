/** Reads the revisions of this server from the API server, and writes the two status slots that a server owns. */
@NullMarked
package io.portcullis.server.cluster.revisions;

import org.jspecify.annotations.NullMarked;
