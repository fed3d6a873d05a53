package io.portcullis.api.policy;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** A policy that evaluates requests of its own namespace. */
@Group(PolicyKind.GROUP)
@Version(PolicyKind.VERSION)
@Plural("admissionpolicies")
@ShortNames("ap")
public final class AdmissionPolicy extends Policy implements Namespaced {}
