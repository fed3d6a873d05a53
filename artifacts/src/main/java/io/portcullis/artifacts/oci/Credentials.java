package io.portcullis.artifacts.oci;

/** Finds what to show a registry; anonymous when nothing is known. Thread-safe. */
@FunctionalInterface
public interface Credentials {

    Credentials NONE = _ -> new Credential.Anonymous();

    /** @param registry {@code host[:port]} */
    Credential forRegistry(String registry);
}
