/**
 * Pods as local processes, for clusters without nodes. {@link io.portcullis.testkit.hostpods.HostPods} simulates the
 * StatefulSet controller, the kubelet and the endpoints controller, as far as a policy server needs them. Environment
 * and volumes come from the real pod template, identity from a real ServiceAccount token, readiness from the real
 * probe.
 */
@NullMarked
package io.portcullis.testkit.hostpods;

import org.jspecify.annotations.NullMarked;
