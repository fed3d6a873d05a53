package io.portcullis.evaluator;

/** What one run of a module came to. Groups need to tell a policy that says no from one that could not say anything. */
public sealed interface PolicyVerdict {

    /** What to answer; for a failure a rejection with code 500. */
    AdmissionResponse response();

    /** The policy decided. */
    record Decided(AdmissionResponse response) implements PolicyVerdict {}

    /** The policy ran out of time, trapped or answered nonsense. */
    record Failed(AdmissionResponse response) implements PolicyVerdict {}
}
