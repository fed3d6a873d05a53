/**
 * The HTTP interface, built on Helidon. {@link io.portcullis.server.http.ApiServer} is the entry point. Outside this package
 * only {@code process.http} uses Helidon.
 */
@NullMarked
package io.portcullis.server.http;

import org.jspecify.annotations.NullMarked;
