package io.portcullis.artifacts;

/** Brings a module onto this machine, verified as configured. Thread-safe. */
public interface ModuleFetcher {

    /**
     * @param url {@code registry://…}, {@code https://…}, {@code http://…}, {@code file://…} or a bare image name
     * @throws ArtifactException with a reason that callers can tell apart
     */
    FetchedModule fetch(String url);

    /** The module's bytes, checked, and the SHA-256 of them as {@code sha256:<hex>}. */
    record FetchedModule(String url, byte[] wasm, String digest) {}
}
