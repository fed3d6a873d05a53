package io.portcullis.audit.targets;

import io.portcullis.audit.cluster.KubernetesApi;
import java.util.Optional;

/** A type of objects as the API server serves it, in one version. */
public record AuditedType(String group, String version, String resource, String kind, boolean isNamespaced) {

    /** The objects themselves, in whichever version they are shown. */
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

    /** Where to list them: in one namespace, or everywhere. */
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
