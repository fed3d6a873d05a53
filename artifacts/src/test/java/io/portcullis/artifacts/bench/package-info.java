/** Measures, by hand: nothing here runs in the build. */
@NullMarked
package io.portcullis.artifacts.bench;

import org.jspecify.annotations.NullMarked;
