package io.portcullis.artifacts.source;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.fuzz.Inputs;

/** Image references: an ArtifactException, or a reference whose text parses to the same reference. */
public final class ImageReferenceFuzz {

    private ImageReferenceFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        ImageReference reference;
        try {
            reference = ImageReference.parse(Inputs.text(input));
        } catch (ArtifactException e) {
            return;
        }
        Inputs.check(ImageReference.parse(reference.toString()).equals(reference), "the text is the same reference");
        Inputs.check(!reference.repository().contains(".."), "the repository contains no parent segment");
    }
}
