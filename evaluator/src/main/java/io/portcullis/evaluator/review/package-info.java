/**
 * Between the wire and the policies: reviews in, responses out, and what is done to a verdict on its way.
 */
@NullMarked
package io.portcullis.evaluator.review;

import org.jspecify.annotations.NullMarked;
