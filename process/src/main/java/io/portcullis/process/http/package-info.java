/**
 * HTTP server and client code that all programs share. {@link io.portcullis.process.http.Listener} accepts connections within limits and passes
 * them to Helidon's HTTP/1.1 and HTTP/2. {@link io.portcullis.process.http.RequestBodies} reads bodies within a byte budget. All errors have one
 * JSON form. {@link io.portcullis.process.http.HttpConnection} is the client side.
 */
@NullMarked
package io.portcullis.process.http;

import org.jspecify.annotations.NullMarked;
