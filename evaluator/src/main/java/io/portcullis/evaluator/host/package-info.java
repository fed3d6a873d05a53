/**
 * What policies may ask of their host while they run: Kubernetes objects, registries, DNS, certificates, logging.
 * {@link io.portcullis.evaluator.host.HostCapabilities} is the seam that programs fill.
 */
@NullMarked
package io.portcullis.evaluator.host;

import org.jspecify.annotations.NullMarked;
