/**
 * OCI registries: credentials, tokens, manifests, blobs, and the shape of a policy artefact. {@link
 * io.portcullis.artifacts.oci.RegistryClient} speaks the protocol, {@link io.portcullis.artifacts.oci.PolicyArtifacts}
 * pulls and pushes policies, {@link io.portcullis.artifacts.oci.ImageLookup} answers for policies that ask about images.
 */
@NullMarked
package io.portcullis.artifacts.oci;

import org.jspecify.annotations.NullMarked;
