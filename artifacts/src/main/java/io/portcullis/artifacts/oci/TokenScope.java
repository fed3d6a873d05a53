package io.portcullis.artifacts.oci;

import io.portcullis.artifacts.source.ImageReference;

/** What we want to do where; tokens are given for one of these. */
record TokenScope(String registry, String apiHost, String repository, boolean push) {

    static TokenScope pull(ImageReference image) {
        return new TokenScope(image.registry(), image.apiHost(), image.repository(), false);
    }

    static TokenScope push(ImageReference image) {
        return new TokenScope(image.registry(), image.apiHost(), image.repository(), true);
    }

    /** Nothing but being known. */
    static TokenScope login(ImageReference image) {
        return new TokenScope(image.registry(), image.apiHost(), "", false);
    }

    /** As token servers read it; empty for a login. */
    String wireName() {
        return repository.isEmpty() ? "" : "repository:" + repository + (push ? ":pull,push" : ":pull");
    }
}
