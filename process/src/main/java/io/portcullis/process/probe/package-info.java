/**
 * The plain HTTP port for kubelet and Prometheus, {@link io.portcullis.process.probe.ProbeServer}, and the check of our own listeners,
 * {@link io.portcullis.process.probe.SelfCheck}.
 */
@NullMarked
package io.portcullis.process.probe;

import org.jspecify.annotations.NullMarked;
