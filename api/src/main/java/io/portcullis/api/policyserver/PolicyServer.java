package io.portcullis.api.policyserver;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.resource.OwnResource;

/**
 * A group of policy-server replicas and their settings. The spec stays untyped JSON, as for policies, so that one malformed
 * object does not stop a watch. {@link #read} returns the typed view.
 */
@Group(PolicyKind.GROUP)
@Version(PolicyKind.VERSION)
@Plural("policyservers")
@ShortNames("ps")
public final class PolicyServer extends OwnResource<ObjectNode, PolicyServerStatus> {

    public PolicyServer() {
        super(JsonNodeFactory.instance.objectNode());
    }

    /** Returns the typed view of the spec. */
    public PolicyServerSpec read() {
        return PolicyServerSpec.read(getSpec());
    }
}
