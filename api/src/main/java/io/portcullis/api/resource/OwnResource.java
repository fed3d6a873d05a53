package io.portcullis.api.resource;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

/**
 * Base class of the Portcullis resources. It is a mutable bean, because the Kubernetes client requires one. Instances are not
 * shared between threads.
 *
 * @param <S> the spec
 * @param <T> the status
 */
@JsonDeserialize(using = JsonDeserializer.None.class)
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({"apiVersion", "kind", "metadata", "spec", "status"})
public abstract class OwnResource<S, T> implements HasMetadata {

    private ObjectMeta metadata = new ObjectMeta();
    private S spec;
    private @Nullable T status;

    protected OwnResource(S emptySpec) {
        this.spec = emptySpec;
    }

    @Override
    public ObjectMeta getMetadata() {
        return metadata;
    }

    @Override
    public void setMetadata(ObjectMeta metadata) {
        this.metadata = metadata;
    }

    public S getSpec() {
        return spec;
    }

    public void setSpec(S spec) {
        this.spec = spec;
    }

    public @Nullable T getStatus() {
        return status;
    }

    public void setStatus(@Nullable T status) {
        this.status = status;
    }

    /** Ignored: the class determines the version. */
    @Override
    public void setApiVersion(String version) {}
}
