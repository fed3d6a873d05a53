/** What every program needs to talk to an API server: the HTTP transport, the Event writer, and the cache of own writes. */
@NullMarked
package io.portcullis.process.kubernetes;

import org.jspecify.annotations.NullMarked;
