/** Certificates and keys that follow their files. {@link io.portcullis.process.tls.ServerTls} is the entry. */
@NullMarked
package io.portcullis.process.tls;

import org.jspecify.annotations.NullMarked;
