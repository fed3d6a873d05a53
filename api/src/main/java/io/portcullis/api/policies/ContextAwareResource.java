package io.portcullis.api.policies;

/** A kind of Kubernetes objects that a policy may read. Both fields are compared exactly. */
public record ContextAwareResource(String apiVersion, String kind) {}
