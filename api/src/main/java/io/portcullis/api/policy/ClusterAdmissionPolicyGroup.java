package io.portcullis.api.policy;

import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** Several policies, combined by an expression, that evaluate requests of the whole cluster. */
@Group(PolicyKind.GROUP)
@Version(PolicyKind.VERSION)
@Plural("clusteradmissionpolicygroups")
@ShortNames("capg")
public final class ClusterAdmissionPolicyGroup extends Policy {}
