/** What the tests of this module share: recorded exchanges, sample policies, requests. */
@NullMarked
package io.portcullis.evaluator.testing;

import org.jspecify.annotations.NullMarked;
