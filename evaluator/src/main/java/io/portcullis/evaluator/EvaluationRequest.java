package io.portcullis.evaluator;

import java.util.Optional;

/** What a policy is asked to judge. The document is carried as bytes and is not mapped to classes. */
public sealed interface EvaluationRequest {

    /** Echoed in the answer. */
    String uid();

    /** The JSON that the guest sees as {@code request}. */
    byte[] json();

    /** A Kubernetes admission request. {@code json} holds the keys the policy contract names and no others. */
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

    /** Any JSON at all, for policies that judge other things than Kubernetes objects. */
    record Raw(String uid, byte[] json) implements EvaluationRequest {}

    /** Group, version and kind, or group, version and plural resource name. */
    record GroupVersionName(String group, String version, String name) {}
}
