package io.portcullis.api.revision;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.portcullis.api.policy.PolicyKind;
import org.jspecify.annotations.Nullable;

/**
 * One generation of one policy. The controller writes the spec, the policy servers the status; it lives in the
 * controller's namespace and only administrators see it.
 */
@Group(PolicyKind.GROUP)
@Version(PolicyKind.VERSION)
@Plural("policyrevisions")
@ShortNames("polrev")
@JsonDeserialize(using = JsonDeserializer.None.class)
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({"apiVersion", "kind", "metadata", "spec", "status"})
public final class PolicyRevision implements HasMetadata, Namespaced {

    private ObjectMeta metadata = new ObjectMeta();
    private PolicyRevisionSpec spec = PolicyRevisionSpec.EMPTY;
    private @Nullable PolicyRevisionStatus status;

    @Override
    public ObjectMeta getMetadata() {
        return metadata;
    }

    @Override
    public void setMetadata(ObjectMeta metadata) {
        this.metadata = metadata;
    }

    public PolicyRevisionSpec getSpec() {
        return spec;
    }

    public void setSpec(PolicyRevisionSpec spec) {
        this.spec = spec;
    }

    public @Nullable PolicyRevisionStatus getStatus() {
        return status;
    }

    public void setStatus(@Nullable PolicyRevisionStatus status) {
        this.status = status;
    }

    /** Fixed by the class. */
    @Override
    public void setApiVersion(String version) {}
}
