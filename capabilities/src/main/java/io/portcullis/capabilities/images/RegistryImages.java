package io.portcullis.capabilities.images;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.artifacts.ArtifactException;
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
 * Images and signatures as policies ask for them, with the registries and credentials of this program. What a registry
 * refuses becomes the host error that the guest sees. Waiting is bounded by whoever calls, see {@code CachedBackend}.
 */
public record RegistryImages(ImageLookup images, ImageVerifier verifier) implements ImageRegistry, SignatureVerifier {

    @Override
    public String manifestDigest(String image, Deadline deadline) {
        return asked(() -> images.manifestDigest(image));
    }

    @Override
    public JsonNode manifest(String image, Deadline deadline) {
        return asked(() -> images.manifest(image));
    }

    @Override
    public ImageConfig manifestAndConfig(String image, Deadline deadline) {
        return asked(() -> {
            var found = images.manifestAndConfig(image);
            return new ImageConfig(found.manifest(), found.digest(), found.config());
        });
    }

    @Override
    public String verify(HostRequest.Verify question, Deadline deadline) {
        return asked(() -> verifier.verify(
                ImageReference.parse(question.image()),
                VerificationConfig.allOf(SignatureQuestions.constraints(question))));
    }

    private static <T> T asked(Supplier<T> question) {
        try {
            return question.get();
        } catch (ArtifactException e) {
            throw new HostCallException(String.valueOf(e.getMessage()), e);
        }
    }
}
