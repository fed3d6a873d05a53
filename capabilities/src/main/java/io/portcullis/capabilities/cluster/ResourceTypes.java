package io.portcullis.capabilities.cluster;

import io.portcullis.evaluator.host.HostCallException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Discovers and caches resource types. A cache entry is removed when a request for its objects returns 404. */
final class ResourceTypes {

    private record Key(String apiVersion, String kind) {}

    private final ApiClient api;
    private final Map<Key, ResourceType> cache = new ConcurrentHashMap<>();

    ResourceTypes(ApiClient api) {
        this.api = api;
    }

    ResourceType find(String apiVersion, String kind) {
        var key = new Key(apiVersion, kind);
        var type = cache.get(key);
        if (type == null) {
            type = discover(apiVersion, kind);
            cache.put(key, type);
        }
        return type;
    }

    /** Removes the cache entry, because the CRD may have been reinstalled with another plural. */
    void remove(ResourceType type) {
        cache.remove(new Key(type.apiVersion(), type.kind()));
    }

    private ResourceType discover(String apiVersion, String kind) {
        var path = apiVersion.contains("/") ? "/apis/" + apiVersion : "/api/" + apiVersion;
        var resources =
                api.getTree(path).orElseThrow(() -> notFound(apiVersion, kind)).path("resources");
        for (var resource : resources) {
            var name = resource.path("name").asText();
            if (resource.path("kind").asText().equals(kind) && name.indexOf('/') < 0) {
                return new ResourceType(
                        apiVersion, kind, name, resource.path("namespaced").asBoolean());
            }
        }
        throw notFound(apiVersion, kind);
    }

    private static HostCallException notFound(String apiVersion, String kind) {
        return new HostCallException("Cannot find resource " + apiVersion + "/" + kind);
    }
}
