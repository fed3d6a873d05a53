/**
 * OCI registries: tokens, manifests, blobs, and the format of a policy artefact. {@link
 * io.portcullis.artifacts.oci.RegistryClient} implements the protocol. {@link
 * io.portcullis.artifacts.oci.PolicyArtifacts} pulls and pushes policies. {@link
 * io.portcullis.artifacts.oci.ImageLookup} looks up images for policies.
 */
@NullMarked
package io.portcullis.artifacts.oci;

import org.jspecify.annotations.NullMarked;
