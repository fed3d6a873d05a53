package io.portcullis.capabilities.cluster;

import java.util.Optional;

/** A kind of objects with its path in the API server. */
record ResourceType(String apiVersion, String kind, String plural, boolean namespaced) {

    /** @param namespace empty for all namespaces and for cluster-scoped kinds */
    String path(Optional<String> namespace) {
        var root = apiVersion.contains("/") ? "/apis/" + apiVersion : "/api/" + apiVersion;
        return namespace
                        .filter(_ -> namespaced)
                        .map(name -> root + "/namespaces/" + ApiClient.escape(name))
                        .orElse(root)
                + "/" + plural;
    }

    String group() {
        int slash = apiVersion.indexOf('/');
        return slash < 0 ? "" : apiVersion.substring(0, slash);
    }

    String version() {
        return apiVersion.substring(apiVersion.indexOf('/') + 1);
    }

    @Override
    public String toString() {
        return apiVersion + "/" + kind;
    }
}
