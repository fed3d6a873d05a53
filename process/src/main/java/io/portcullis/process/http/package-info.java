/**
 * What our HTTP servers share, on Helidon: the listener, bodies within limits, errors in one form. And connections to servers, for
 * those who need more of a connection than a client library shows.
 */
@NullMarked
package io.portcullis.process.http;

import org.jspecify.annotations.NullMarked;
