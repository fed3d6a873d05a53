/** Test helpers of this module. */
@NullMarked
package io.portcullis.api.testing;

import org.jspecify.annotations.NullMarked;
