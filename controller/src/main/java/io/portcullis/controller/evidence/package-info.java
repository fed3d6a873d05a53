/**
 * Proof of what replicas serve. {@link io.portcullis.controller.evidence.ReplicaProber} asks every ready replica, {@link
 * io.portcullis.controller.evidence.ReplicaCall} does so as an API server would, {@link
 * io.portcullis.controller.evidence.EvidenceStore} remembers what was heard and for how long it counts.
 */
@NullMarked
package io.portcullis.controller.evidence;

import org.jspecify.annotations.NullMarked;
