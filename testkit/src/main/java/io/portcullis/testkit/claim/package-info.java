/** Pages that name the tests which show what they say. */
@NullMarked
package io.portcullis.testkit.claim;

import org.jspecify.annotations.NullMarked;
