/** The Kubernetes objects that run a policy server: their desired state, and the comparison with the live ones. */
@NullMarked
package io.portcullis.controller.policyserver.workload;

import org.jspecify.annotations.NullMarked;
