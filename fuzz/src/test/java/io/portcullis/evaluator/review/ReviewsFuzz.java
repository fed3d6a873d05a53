package io.portcullis.evaluator.review;

import io.portcullis.fuzz.Inputs;

/** Admission reviews: a BadReviewException, or a review that Jackson reads as JSON, too. */
public final class ReviewsFuzz {

    private ReviewsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            Reviews.admission(input);
            Inputs.check(Inputs.jacksonWithDuplicates(input).isPresent(), "Jackson reads it, too");
        } catch (BadReviewException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
        try {
            Reviews.raw(input);
        } catch (BadReviewException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
