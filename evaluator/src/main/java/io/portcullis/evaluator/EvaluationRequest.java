package io.portcullis.evaluator;

import java.util.Optional;

/** A request that a policy evaluates. The document stays as bytes and is not mapped to classes. */
public sealed interface EvaluationRequest {

    /** The request id; the response repeats it. */
    String uid();

    /** The JSON that the guest receives as {@code request}. */
    byte[] json();

    /** A Kubernetes admission request. {@code json} contains only the keys that the policy contract defines. */
    record Admission(
            String uid,
            byte[] json,
            GroupVersionName kind,
            GroupVersionName resource,
            String operation,
            Optional<String> requestKind,
            Optional<String> name,
            Optional<String> namespace,
            Optional<String> subResource)
            implements EvaluationRequest {}

    /** Arbitrary JSON, for policies that evaluate documents other than Kubernetes objects. */
    record Raw(String uid, byte[] json) implements EvaluationRequest {}

    /** Group, version and kind, or group, version and plural resource name. */
    record GroupVersionName(String group, String version, String name) {}
}
