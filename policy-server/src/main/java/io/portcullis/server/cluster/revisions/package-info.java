/** The revisions of this server as the API server has them, and the two slots of their status that a server writes. */
@NullMarked
package io.portcullis.server.cluster.revisions;

import org.jspecify.annotations.NullMarked;
