/** Shared test fixtures of this module: recorded exchanges, sample policies, requests. */
@NullMarked
package io.portcullis.evaluator.testing;

import org.jspecify.annotations.NullMarked;
