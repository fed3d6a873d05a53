package io.portcullis.artifacts;

/** Fetches a module to this machine and verifies it as configured. Thread-safe. */
public interface ModuleFetcher {

    /**
     * @param url {@code registry://…}, {@code https://…}, {@code http://…}, {@code file://…} or a bare image name
     * @throws ArtifactException with a reason that callers can switch on
     */
    FetchedModule fetch(String url);

    /**
     * Holds the checked bytes of a module and their SHA-256 as {@code sha256:<hex>}.
     *
     * @param resolvedUrl an immutable URL of the module. For registries it contains the manifest digest that the tag
     *     pointed to at the time of the request; otherwise it equals the given URL
     */
    record FetchedModule(String url, String resolvedUrl, byte[] wasm, String digest) {

        public FetchedModule(String url, byte[] wasm, String digest) {
            this(url, url, wasm, digest);
        }
    }
}
