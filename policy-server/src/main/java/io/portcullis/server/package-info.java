/** The policy server: evaluates admission requests over HTTP. */
@NullMarked
package io.portcullis.server;

import org.jspecify.annotations.NullMarked;
