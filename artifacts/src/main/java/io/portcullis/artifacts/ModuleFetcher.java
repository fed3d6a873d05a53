package io.portcullis.artifacts;

/** Brings a module onto this machine, verified as configured. Thread-safe. */
public interface ModuleFetcher {

    /**
     * @param url {@code registry://…}, {@code https://…}, {@code http://…}, {@code file://…} or a bare image name
     * @throws ArtifactException with a reason that callers can tell apart
     */
    FetchedModule fetch(String url);

    /**
     * The module's bytes, checked, and the SHA-256 of them as {@code sha256:<hex>}.
     *
     * @param resolvedUrl the same module for ever: for registries with the manifest digest the tag stood for when it was
     *     asked for, else the URL as it is written
     */
    record FetchedModule(String url, String resolvedUrl, byte[] wasm, String digest) {

        public FetchedModule(String url, byte[] wasm, String digest) {
            this(url, url, wasm, digest);
        }
    }
}
