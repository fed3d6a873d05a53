/** The plain HTTP port for kubelet and Prometheus. {@link io.portcullis.process.probe.ProbeServer} is the entry. */
@NullMarked
package io.portcullis.process.probe;

import org.jspecify.annotations.NullMarked;
