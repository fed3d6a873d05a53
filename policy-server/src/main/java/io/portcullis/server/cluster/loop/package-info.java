/** The thread that owns the state of a replica: {@link io.portcullis.server.cluster.loop.Loop}. */
@NullMarked
package io.portcullis.server.cluster.loop;

import org.jspecify.annotations.NullMarked;
