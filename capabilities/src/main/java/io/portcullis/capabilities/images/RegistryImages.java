package io.portcullis.capabilities.images;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.oci.ImageLookup;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.verify.ImageVerifier;
import io.portcullis.artifacts.verify.VerificationConfig;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.evaluator.host.ImageRegistry;
import io.portcullis.evaluator.host.SignatureVerifier;
import io.portcullis.wasm.Deadline;
import java.util.function.Supplier;

/**
 * Answers host calls about images and signatures, with the registries and credentials of this program. An error of a registry
 * becomes the host error that the guest receives. The caller limits the waiting time, see {@code CachedBackend}.
 */
public record RegistryImages(ImageLookup images, ImageVerifier verifier) implements ImageRegistry, SignatureVerifier {

    @Override
    public String manifestDigest(String image, Deadline deadline) {
        return call(() -> images.manifestDigest(image));
    }

    @Override
    public JsonNode manifest(String image, Deadline deadline) {
        return call(() -> images.manifest(image));
    }

    @Override
    public ImageConfig manifestAndConfig(String image, Deadline deadline) {
        return call(() -> {
            var found = images.manifestAndConfig(image);
            return new ImageConfig(found.manifest(), found.digest(), found.config());
        });
    }

    @Override
    public String verify(HostRequest.Verify request, Deadline deadline) {
        return call(() -> verifier.verify(
                ImageReference.parse(request.image()),
                VerificationConfig.allOf(SignatureQuestions.constraints(request))));
    }

    private static <T> T call(Supplier<T> request) {
        try {
            return request.get();
        } catch (ArtifactException e) {
            throw new HostCallException(String.valueOf(e.getMessage()), e);
        }
    }
}
