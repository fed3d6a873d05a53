/**
 * What our HTTP servers share. {@link io.portcullis.process.http.Listener} accepts connections within limits and hands them to Helidon's HTTP/1.1
 * and HTTP/2; {@link io.portcullis.process.http.RequestBodies} reads bodies within a budget; errors have one form. {@link
 * io.portcullis.process.http.HttpConnection} is the other end: connections to servers.
 */
@NullMarked
package io.portcullis.process.http;

import org.jspecify.annotations.NullMarked;
