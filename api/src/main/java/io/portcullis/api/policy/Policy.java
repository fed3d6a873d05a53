package io.portcullis.api.policy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A policy resource of any kind. Its spec is carried as the JSON it is, because revisions freeze it and rollbacks write
 * it back unchanged, and because one malformed object must not stop a watch; {@link #read} gives the typed view. A
 * mutable bean, as the Kubernetes client wants it; not shared between threads.
 */
@JsonDeserialize(using = JsonDeserializer.None.class)
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({"apiVersion", "kind", "metadata", "spec", "status"})
public abstract sealed class Policy implements HasMetadata
        permits AdmissionPolicy, ClusterAdmissionPolicy, AdmissionPolicyGroup, ClusterAdmissionPolicyGroup {

    private ObjectMeta metadata = new ObjectMeta();
    private ObjectNode spec = JsonNodeFactory.instance.objectNode();
    private @Nullable PolicyStatus status;

    @Override
    public ObjectMeta getMetadata() {
        return metadata;
    }

    @Override
    public void setMetadata(ObjectMeta metadata) {
        this.metadata = metadata;
    }

    public ObjectNode getSpec() {
        return spec;
    }

    public void setSpec(ObjectNode spec) {
        this.spec = spec;
    }

    public @Nullable PolicyStatus getStatus() {
        return status;
    }

    public void setStatus(@Nullable PolicyStatus status) {
        this.status = status;
    }

    /** Fixed by the class. */
    @Override
    public void setApiVersion(String version) {}

    @JsonIgnore
    public PolicyKind policyKind() {
        return PolicyKind.of(this);
    }

    @JsonIgnore
    public PolicyRef ref() {
        return new PolicyRef(
                policyKind(),
                policyKind().isNamespaced() ? Objects.requireNonNullElse(metadata.getNamespace(), "") : "",
                Objects.requireNonNullElse(metadata.getName(), ""));
    }

    /** The typed view of the spec. */
    public PolicySpec read() {
        return PolicySpec.read(policyKind(), spec);
    }
}
