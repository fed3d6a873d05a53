package io.portcullis.api.policy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.resource.OwnResource;
import java.util.Objects;
import java.util.Optional;

/**
 * A policy resource of any kind. The spec stays untyped JSON, because revisions freeze it and rollbacks write it back
 * unchanged, and because one malformed object must not stop a watch. {@link #read} returns the typed view.
 */
public abstract sealed class Policy extends OwnResource<ObjectNode, PolicyStatus>
        permits AdmissionPolicy, ClusterAdmissionPolicy, AdmissionPolicyGroup, ClusterAdmissionPolicyGroup {

    Policy() {
        super(JsonNodeFactory.instance.objectNode());
    }

    @JsonIgnore
    public PolicyKind policyKind() {
        return PolicyKind.of(this);
    }

    @JsonIgnore
    public PolicyRef ref() {
        return new PolicyRef(
                policyKind(),
                policyKind().isNamespaced()
                        ? Objects.requireNonNullElse(getMetadata().getNamespace(), "")
                        : "",
                Objects.requireNonNullElse(getMetadata().getName(), ""));
    }

    public Optional<String> annotation(String name) {
        return Optional.ofNullable(getMetadata().getAnnotations()).map(annotations -> annotations.get(name));
    }

    /** Returns the name of the PolicyServer. It reads only this field, because other fields may be malformed. */
    public String policyServerName() {
        return getSpec().path("policyServer").asText(PolicySpec.DEFAULT_POLICY_SERVER);
    }

    /** Returns the typed view of the spec. */
    public PolicySpec read() {
        return PolicySpec.read(policyKind(), getSpec());
    }
}
