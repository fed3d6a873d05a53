/**
 * Where the server gets its policies from, and the state of each policy. {@code server.standalone} and {@code server.cluster}
 * implement {@link io.portcullis.server.source.PolicySource}.
 */
@NullMarked
package io.portcullis.server.source;

import org.jspecify.annotations.NullMarked;
