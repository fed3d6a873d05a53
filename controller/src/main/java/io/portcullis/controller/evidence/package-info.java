/**
 * Evidence of what replicas serve. {@link io.portcullis.controller.evidence.ReplicaProber} asks every ready replica.
 * {@link io.portcullis.controller.evidence.ReplicaCall} makes the call as an API server would.
 * {@link io.portcullis.controller.evidence.EvidenceStore} stores the answers and their age.
 */
@NullMarked
package io.portcullis.controller.evidence;

import org.jspecify.annotations.NullMarked;
