package io.portcullis.artifacts.oci;

import io.portcullis.artifacts.source.ImageReference;

/** What we want to do where; tokens are given for one of these. */
record Scope(String registry, String apiHost, String repository, boolean push) {

    static Scope pull(ImageReference image) {
        return new Scope(image.registry(), image.apiHost(), image.repository(), false);
    }

    static Scope push(ImageReference image) {
        return new Scope(image.registry(), image.apiHost(), image.repository(), true);
    }

    /** As token servers read it. */
    String wireName() {
        return "repository:" + repository + (push ? ":pull,push" : ":pull");
    }
}
