package io.portcullis.artifacts.oci;

import io.portcullis.artifacts.source.ImageReference;

/** The repository and the actions that a registry token covers. */
record TokenScope(String registry, String apiHost, String repository, boolean push) {

    static TokenScope pull(ImageReference image) {
        return new TokenScope(image.registry(), image.apiHost(), image.repository(), false);
    }

    static TokenScope push(ImageReference image) {
        return new TokenScope(image.registry(), image.apiHost(), image.repository(), true);
    }

    /** A scope without permissions, for a login check. */
    static TokenScope login(ImageReference image) {
        return new TokenScope(image.registry(), image.apiHost(), "", false);
    }

    /** Returns the scope in the syntax of token servers; empty for a login. */
    String wireName() {
        return repository.isEmpty() ? "" : "repository:" + repository + (push ? ":pull,push" : ":pull");
    }
}
