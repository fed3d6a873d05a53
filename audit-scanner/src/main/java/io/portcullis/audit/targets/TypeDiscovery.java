package io.portcullis.audit.targets;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.cluster.KubernetesApi;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Discovers the resource types that the API server serves. */
public final class TypeDiscovery {

    private static final Logger log = LoggerFactory.getLogger(TypeDiscovery.class);

    private final KubernetesApi api;

    public TypeDiscovery(KubernetesApi api) {
        this.api = api;
    }

    /** @throws ApiException if the list of groups cannot be read; an unreachable group is skipped */
    public ResourceTypeIndex find() {
        var types = new ArrayList<AuditedType>();
        Set<String> unreachable = new HashSet<>();
        types.addAll(types("", "v1", api.getTree("/api/v1")));
        for (var group : api.getTree("/apis").path("groups")) {
            var name = group.path("name").asText();
            for (var version : versions(group)) {
                try {
                    types.addAll(types(name, version, api.getTree("/apis/" + name + "/" + version)));
                } catch (ApiException e) {
                    unreachable.add(name);
                    log.atWarn()
                            .addKeyValue("group", name + "/" + version)
                            .addKeyValue("error", e.getMessage())
                            .log("discovery of an API group failed");
                }
            }
        }
        return new ResourceTypeIndex(types, unreachable);
    }

    /** Returns the versions of a group, the preferred one first. */
    static List<String> versions(JsonNode group) {
        var preferred = group.path("preferredVersion").path("version").asText("");
        var versions = new ArrayList<String>();
        group.path("versions")
                .forEach(entry -> versions.add(entry.path("version").asText()));
        if (versions.remove(preferred)) {
            versions.addFirst(preferred);
        }
        return versions;
    }

    static List<AuditedType> types(String group, String version, JsonNode list) {
        var types = new ArrayList<AuditedType>();
        for (var resource : list.path("resources")) {
            var name = resource.path("name").asText();
            Set<String> verbs = new HashSet<>();
            resource.path("verbs").forEach(verb -> verbs.add(verb.asText()));
            if (name.indexOf('/') < 0 && verbs.contains("list") && verbs.contains("create")) {
                types.add(new AuditedType(
                        group,
                        version,
                        name,
                        resource.path("kind").asText(),
                        resource.path("namespaced").asBoolean()));
            }
        }
        return types;
    }
}
