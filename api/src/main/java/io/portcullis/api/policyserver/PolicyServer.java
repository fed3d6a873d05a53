package io.portcullis.api.policyserver;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.portcullis.api.policy.PolicyKind;
import org.jspecify.annotations.Nullable;

/**
 * A fleet of policy-server replicas and their settings. As with policies the spec is carried as JSON, so that one
 * malformed object does not stop a watch; {@link #read} gives the typed view.
 */
@Group(PolicyKind.GROUP)
@Version(PolicyKind.VERSION)
@Plural("policyservers")
@ShortNames("ps")
@JsonDeserialize(using = JsonDeserializer.None.class)
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({"apiVersion", "kind", "metadata", "spec", "status"})
public final class PolicyServer implements HasMetadata {

    private ObjectMeta metadata = new ObjectMeta();
    private ObjectNode spec = JsonNodeFactory.instance.objectNode();
    private @Nullable PolicyServerStatus status;

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

    public @Nullable PolicyServerStatus getStatus() {
        return status;
    }

    public void setStatus(@Nullable PolicyServerStatus status) {
        this.status = status;
    }

    /** Fixed by the class. */
    @Override
    public void setApiVersion(String version) {}

    /** The typed view of the spec. */
    public PolicyServerSpec read() {
        return PolicyServerSpec.read(spec);
    }
}
