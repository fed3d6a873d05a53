package io.portcullis.controller.admission;

/** Decides on requests for objects of one kind. */
@FunctionalInterface
public interface Admission {

    AdmissionVerdict decide(ResourceReview review);
}
