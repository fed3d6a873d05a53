package io.portcullis.audit.targets;

import io.portcullis.audit.cluster.KubernetesApi;
import java.util.Optional;

/** A resource type in one API version. */
public record AuditedType(String group, String version, String resource, String kind, boolean isNamespaced) {

    /** The resource, independent of the API version. */
    public record Objects(String group, String resource) {

        @Override
        public String toString() {
            return group.isEmpty() ? resource : resource + "." + group;
        }
    }

    public Objects objects() {
        return new Objects(group, resource);
    }

    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /** Returns the list path: for one namespace, or for all. */
    public String path(Optional<String> namespace) {
        var root = (group.isEmpty() ? "/api/" : "/apis/") + apiVersion();
        return namespace
                        .filter(_ -> isNamespaced)
                        .map(name -> root + "/namespaces/" + KubernetesApi.escape(name))
                        .orElse(root)
                + "/" + resource;
    }

    @Override
    public String toString() {
        return apiVersion() + " " + resource;
    }
}
