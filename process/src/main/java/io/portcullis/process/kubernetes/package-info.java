/** How programs that write much talk to API servers: the Kubernetes client's requests over plain blocking connections. */
@NullMarked
package io.portcullis.process.kubernetes;

import org.jspecify.annotations.NullMarked;
