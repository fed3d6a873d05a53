package io.portcullis.artifacts.oci;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.fuzz.Inputs;

/** OCI manifests and indexes: an ArtifactException, or descriptors with valid digests only. */
public final class ManifestFuzz {

    private ManifestFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            var manifest = Manifest.of(input, "application/vnd.oci.image.manifest.v1+json");
            var descriptors = manifest.isIndex() ? manifest.manifests() : manifest.layers();
            descriptors.forEach(each -> Inputs.check(Digest.isDigest(each.digest()), "descriptors have digests"));
            manifest.config();
        } catch (ArtifactException e) {
            Inputs.check(e.reason() == ArtifactException.Reason.INVALID_ARTIFACT, "the artifact is at fault");
        }
    }
}
