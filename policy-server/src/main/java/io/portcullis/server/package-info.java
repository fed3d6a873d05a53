/**
 * The policy server: evaluates admission requests that arrive over HTTP. {@code Main} starts it, {@code settings} parses its
 * configuration, {@code standalone} and {@code cluster} provide its policies, {@code evaluation} runs them, and {@code http}
 * serves requests.
 */
@NullMarked
package io.portcullis.server;

import org.jspecify.annotations.NullMarked;
