/** What the tests of this module share. */
@NullMarked
package io.portcullis.api.testing;

import org.jspecify.annotations.NullMarked;
