package io.portcullis.api.revision;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.resource.OwnResource;
import java.util.Objects;

/**
 * One generation of one policy. The controller writes the spec, and the policy servers write the status. Revisions are in the
 * controller's namespace; only administrators can read them.
 */
@Group(PolicyKind.GROUP)
@Version(PolicyKind.VERSION)
@Plural("policyrevisions")
@ShortNames("polrev")
public final class PolicyRevision extends OwnResource<PolicyRevisionSpec, PolicyRevisionStatus> implements Namespaced {

    public PolicyRevision() {
        super(PolicyRevisionSpec.EMPTY);
    }

    /** The PolicyServer whose replicas serve the revision. Read from the label, because replicas select revisions by the label. */
    public String policyServer() {
        return Objects.requireNonNullElse(getMetadata().getLabels().get(RevisionNames.POLICY_SERVER), "");
    }

    /** The status, or an empty one when no role has written a slot yet. */
    public PolicyRevisionStatus statusOrEmpty() {
        return Objects.requireNonNullElse(getStatus(), PolicyRevisionStatus.EMPTY);
    }
}
