package io.portcullis.artifacts.verify.signature;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.oci.Descriptor;
import io.portcullis.artifacts.oci.Manifest;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.source.ImageReference;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the signatures of an image where cosign stores them: under the tag {@code sha256-<hex>.sig}, and as
 * referrers. Skips signatures that are malformed or belong to another image.
 */
public final class SignatureFinder {

    private static final Logger log = LoggerFactory.getLogger(SignatureFinder.class);
    private static final int MAX_SIGNATURE_BYTES = 4 << 20;
    // Everyone with push access can add signatures, so the number must be bounded.
    private static final int MAX_SIGNATURES = 100;
    private static final String COSIGN_REFERRER = "application/vnd.dev.cosign.artifact.sig.v1+json";

    private final RegistryClient registry;

    public SignatureFinder(RegistryClient registry) {
        this.registry = registry;
    }

    public List<Candidate> find(ImageReference image, String digest) {
        var found = new ArrayList<Candidate>();
        int layers = 0;
        for (var manifest : manifests(image, digest)) {
            for (var layer : manifest.layers()) {
                if (isSignature(layer) && layers++ < MAX_SIGNATURES) {
                    read(image, digest, layer, found);
                }
            }
        }
        if (layers > MAX_SIGNATURES) {
            log.atWarn()
                    .addKeyValue("image", image)
                    .addKeyValue("signatures", layers)
                    .log("image has too many signatures, only the first are looked at");
        }
        if (found.isEmpty()) {
            throw new ArtifactException(Reason.SIGNATURE, "no signatures found for image: " + image + " ");
        }
        return found;
    }

    private List<Manifest> manifests(ImageReference image, String digest) {
        var manifests = new ArrayList<Manifest>();
        try {
            manifests.add(registry.manifest(image.withTag(digest.replace(':', '-') + ".sig")));
        } catch (ArtifactException e) {
            if (e.reason() != Reason.NOT_FOUND) {
                throw e;
            }
        }
        registry.referrers(image, digest).stream()
                .filter(SignatureFinder::isSignature)
                .limit(MAX_SIGNATURES)
                .forEach(each -> manifests.add(registry.manifest(image.withDigest(each.digest()))));
        return manifests;
    }

    private static boolean isSignature(Descriptor descriptor) {
        return descriptor.artifactType().startsWith(SigstoreBundle.MEDIA_TYPE_PREFIX)
                || descriptor.artifactType().equals(COSIGN_REFERRER)
                || descriptor.mediaType().startsWith(SigstoreBundle.MEDIA_TYPE_PREFIX)
                || descriptor.mediaType().equals(SimpleSigning.LAYER);
    }

    private void read(ImageReference image, String digest, Descriptor layer, List<Candidate> found) {
        try {
            var content = registry.blob(image, layer, MAX_SIGNATURE_BYTES);
            found.add(
                    layer.mediaType().equals(SimpleSigning.LAYER)
                            ? SimpleSigning.read(content, layer.annotations(), digest)
                            : SigstoreBundle.read(content, digest));
        } catch (UntrustedException e) {
            log.atDebug()
                    .addKeyValue("image", image)
                    .addKeyValue("error", e.getMessage())
                    .log("signature skipped");
        }
    }
}
