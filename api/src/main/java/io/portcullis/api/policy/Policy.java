package io.portcullis.api.policy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.resource.OwnResource;
import java.util.Objects;
import java.util.Optional;

/**
 * A policy resource of any kind. Its spec is carried as the JSON it is, because revisions freeze it and rollbacks write
 * it back unchanged, and because one malformed object must not stop a watch; {@link #read} gives the typed view.
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

    /** The name of its PolicyServer, read without the other fields, which may be malformed. */
    public String policyServerName() {
        return getSpec().path("policyServer").asText(PolicySpec.DEFAULT_POLICY_SERVER);
    }

    /** The typed view of the spec. */
    public PolicySpec read() {
        return PolicySpec.read(policyKind(), getSpec());
    }
}
