package io.portcullis.capabilities.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.evaluator.host.HostCallException;
import java.util.ArrayList;
import java.util.List;

/** Discovers all kinds of an API server as {@code {"resources": {"<group>|<version>|<Kind>": <APIResource>}}}. */
final class ApiResourceIndex {

    private ApiResourceIndex() {}

    static ObjectNode of(ApiClient api) {
        var index = JsonNodeFactory.instance.objectNode();
        var resources = index.putObject("resources");
        for (var groupVersion : groupVersions(api)) {
            api.getTree(groupVersion.contains("/") ? "/apis/" + groupVersion : "/api/" + groupVersion)
                    .ifPresent(list -> add(resources, groupVersion, list.path("resources")));
        }
        return index;
    }

    private static List<String> groupVersions(ApiClient api) {
        var found = new ArrayList<String>();
        tree(api, "/api").path("versions").forEach(version -> found.add(version.asText()));
        tree(api, "/apis")
                .path("groups")
                .forEach(group -> group.path("versions")
                        .forEach(version ->
                                found.add(version.path("groupVersion").asText())));
        return found;
    }

    private static JsonNode tree(ApiClient api, String path) {
        return api.getTree(path).orElseThrow(() -> new HostCallException("the API server does not serve " + path));
    }

    /** Adds the resources of one version. Subresources have a slash in the name and are skipped: they have other kinds. */
    private static void add(ObjectNode resources, String groupVersion, JsonNode list) {
        var slash = groupVersion.indexOf('/');
        var group = slash < 0 ? "" : groupVersion.substring(0, slash);
        var version = groupVersion.substring(slash + 1);
        for (var resource : list) {
            if (resource.path("name").asText().indexOf('/') < 0) {
                resources.set(
                        group + "|" + version + "|" + resource.path("kind").asText(), resource);
            }
        }
    }
}
