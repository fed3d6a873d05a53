/** Reads reviews, writes responses, and applies the response rules to verdicts. */
@NullMarked
package io.portcullis.evaluator.review;

import org.jspecify.annotations.NullMarked;
