/** TLS certificates and keys that are reloaded from files. {@link io.portcullis.process.tls.ServerTls} is the entry point. */
@NullMarked
package io.portcullis.process.tls;

import org.jspecify.annotations.NullMarked;
