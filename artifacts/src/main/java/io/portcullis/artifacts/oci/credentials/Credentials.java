package io.portcullis.artifacts.oci.credentials;

/** Finds the credential for a registry; anonymous if none is configured. Thread-safe. */
@FunctionalInterface
public interface Credentials {

    Credentials NONE = _ -> new Credential.Anonymous();

    /** @param registry {@code host[:port]} */
    Credential forRegistry(String registry);
}
