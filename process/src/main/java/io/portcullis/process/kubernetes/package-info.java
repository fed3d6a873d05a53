/** HTTP transport to API servers for programs that write much: the Kubernetes client over blocking connections. */
@NullMarked
package io.portcullis.process.kubernetes;

import org.jspecify.annotations.NullMarked;
