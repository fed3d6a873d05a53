package io.portcullis.server.evaluation;

import io.portcullis.evaluator.AdmissionResponse;

/** What came of a request to a policy. */
public sealed interface Answer {

    record Judged(AdmissionResponse response) implements Answer {}

    record UnknownPolicy(PolicyAddress address) implements Answer {}

    /** Not evaluated, because too much else is; the message says what is full. */
    record Overloaded(String message) implements Answer {}
}
