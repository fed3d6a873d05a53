/** Which replica leads: {@link io.portcullis.server.cluster.leadership.Leadership} holds the lease or waits for it. */
@NullMarked
package io.portcullis.server.cluster.leadership;

import org.jspecify.annotations.NullMarked;
