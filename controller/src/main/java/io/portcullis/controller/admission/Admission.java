package io.portcullis.controller.admission;

/** Judges what somebody wants to do with an object of one kind. */
@FunctionalInterface
interface Admission {

    AdmissionVerdict judge(ResourceReview review);
}
