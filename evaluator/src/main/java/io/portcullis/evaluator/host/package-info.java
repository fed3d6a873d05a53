/**
 * Host capabilities of running policies: Kubernetes objects, registries, DNS, certificates, logging. Programs implement
 * or configure {@link io.portcullis.evaluator.host.HostCapabilities}.
 */
@NullMarked
package io.portcullis.evaluator.host;

import org.jspecify.annotations.NullMarked;
