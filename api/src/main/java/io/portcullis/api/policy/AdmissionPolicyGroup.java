package io.portcullis.api.policy;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** Several policies, combined by an expression, that evaluate requests of their own namespace. */
@Group(PolicyKind.GROUP)
@Version(PolicyKind.VERSION)
@Plural("admissionpolicygroups")
@ShortNames("apg")
public final class AdmissionPolicyGroup extends Policy implements Namespaced {}
