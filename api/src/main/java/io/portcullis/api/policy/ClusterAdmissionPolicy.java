package io.portcullis.api.policy;

import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** A policy that evaluates requests of the whole cluster. */
@Group(PolicyKind.GROUP)
@Version(PolicyKind.VERSION)
@Plural("clusteradmissionpolicies")
@ShortNames("cap")
public final class ClusterAdmissionPolicy extends Policy {}
