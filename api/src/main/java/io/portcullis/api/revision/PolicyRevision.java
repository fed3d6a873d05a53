package io.portcullis.api.revision;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.resource.OwnResource;

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
}
