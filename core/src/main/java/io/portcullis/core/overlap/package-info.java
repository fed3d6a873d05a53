/**
 * Finds policies that receive the same requests, so that one may affect another: {@link io.portcullis.core.overlap.Reach}.
 * "Disjoint" is certain. "Overlapping" may be wrong, because the CEL match conditions are not evaluated.
 */
@NullMarked
package io.portcullis.core.overlap;

import org.jspecify.annotations.NullMarked;
