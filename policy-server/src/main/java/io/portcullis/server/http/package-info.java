/**
 * The HTTP interface, on Helidon. {@link io.portcullis.server.http.ApiServer} is the entry; of the rest only {@code
 * process.http} knows Helidon.
 */
@NullMarked
package io.portcullis.server.http;

import org.jspecify.annotations.NullMarked;
