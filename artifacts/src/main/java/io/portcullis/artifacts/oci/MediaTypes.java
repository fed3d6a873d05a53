package io.portcullis.artifacts.oci;

import java.util.Set;

/** Media types of manifests, indexes and policy layers. */
public final class MediaTypes {

    public static final String OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    public static final String OCI_INDEX = "application/vnd.oci.image.index.v1+json";
    public static final String DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
    public static final String DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json";
    public static final String WASM_LAYER = "application/vnd.wasm.content.layer.v1+wasm";
    public static final String WASM_CONFIG = "application/vnd.wasm.config.v1+json";

    static final Set<String> INDEXES = Set.of(OCI_INDEX, DOCKER_LIST);
    static final String ACCEPTED_MANIFESTS = String.join(", ", DOCKER_MANIFEST, DOCKER_LIST, OCI_MANIFEST, OCI_INDEX);

    private MediaTypes() {}
}
