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

    /** Nothing but being known. */
    static Scope login(ImageReference image) {
        return new Scope(image.registry(), image.apiHost(), "", false);
    }

    /** As token servers read it; empty for a login. */
    String wireName() {
        return repository.isEmpty() ? "" : "repository:" + repository + (push ? ":pull,push" : ":pull");
    }
}
