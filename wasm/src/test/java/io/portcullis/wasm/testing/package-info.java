/** Guests and a minimal host for the tests of this module. */
@NullMarked
package io.portcullis.wasm.testing;

import org.jspecify.annotations.NullMarked;
