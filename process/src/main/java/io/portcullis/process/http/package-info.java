/** What our HTTP servers share, on Helidon: the listener, bodies within limits, errors in one form. */
@NullMarked
package io.portcullis.process.http;

import org.jspecify.annotations.NullMarked;
