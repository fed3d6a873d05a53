/** The HTTP interface, on Helidon. {@link io.portcullis.server.http.ApiServer} is the entry; nothing outside of this package knows Helidon. */
@NullMarked
package io.portcullis.server.http;

import org.jspecify.annotations.NullMarked;
