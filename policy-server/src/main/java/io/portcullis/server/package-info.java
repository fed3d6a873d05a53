/**
 * The policy server: judges admission requests over HTTP. {@code Main} wires it. {@code settings} is what it is told,
 * {@code standalone} where its policies come from, {@code evaluation} how they are run, {@code http} how it is asked.
 */
@NullMarked
package io.portcullis.server;

import org.jspecify.annotations.NullMarked;
