package io.portcullis.kwctl.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.manifest.BuiltInResources.Resource;
import java.util.Optional;

/** Builds the request that an API server would send about an object. */
public final class AdmissionRequests {

    private static final String UID = "705ab4f5-6393-11e8-b7cc-42010a800002";
    private static final String UNKNOWN_PLURAL =
            "<resource plural name unknown: the kind is not built in and no cluster was asked; replace it, for example with pods>";

    private AdmissionRequests() {}

    /** The operation on the object. */
    public enum Operation {
        CREATE,
        UPDATE,
        DELETE
    }

    /** The request, and whether the plural name of the resource is known. */
    public record Scaffold(ObjectNode request, boolean resourceIsKnown) {}

    /**
     * @param catalogue cached resource types of a cluster; may be missing
     * @throws CommandException when the operation does not match the given objects
     */
    public static Scaffold of(
            Operation operation, Optional<JsonNode> object, Optional<JsonNode> oldObject, JsonNode catalogue) {
        check(operation, object, oldObject);
        var subject = object.or(() -> oldObject).orElseThrow();
        var apiVersion = subject.path("apiVersion").asText();
        var kind = subject.path("kind").asText();
        if (apiVersion.isEmpty() || kind.isEmpty()) {
            throw new CommandException("the object has no apiVersion or no kind");
        }
        var slash = apiVersion.indexOf('/');
        var group = slash < 0 ? "" : apiVersion.substring(0, slash);
        var version = apiVersion.substring(slash + 1);
        var resource = BuiltInResources.find(apiVersion, kind)
                .or(() -> BuiltInResources.inCatalogue(catalogue, group, version, kind));

        var request = JsonNodeFactory.instance.objectNode();
        request.put("uid", UID);
        request.set("kind", name(group, version).put("kind", kind));
        var plural = resource.map(Resource::plural).orElse(UNKNOWN_PLURAL);
        request.set("resource", name(group, version).put("resource", plural));
        request.set("requestKind", name(group, version).put("kind", kind));
        request.set("requestResource", name(group, version).put("resource", plural));
        putText(request, "name", subject.path("metadata").path("name").asText());
        putText(request, "namespace", namespace(subject, resource));
        request.put("operation", operation.name());
        var user = request.putObject("userInfo");
        user.putArray("groups").add("system:masters");
        user.put("username", "test-user");
        object.ifPresent(value -> request.set("object", value));
        oldObject.ifPresent(value -> request.set("oldObject", value));
        return new Scaffold(request, resource.isPresent());
    }

    /** Returns the plural name of a built-in kind. */
    public static Optional<String> pluralOf(String group, String version, String kind) {
        return BuiltInResources.find(group.isEmpty() ? version : group + "/" + version, kind)
                .map(Resource::plural);
    }

    private static void check(Operation operation, Optional<JsonNode> object, Optional<JsonNode> oldObject) {
        var problem = switch (operation) {
            case CREATE -> object.isEmpty() ? "needs --object" : oldObject.isPresent() ? "takes no --old-object" : "";
            case UPDATE -> object.isEmpty() || oldObject.isEmpty() ? "needs --object and --old-object" : "";
            case DELETE -> oldObject.isEmpty() ? "needs --old-object" : object.isPresent() ? "takes no --object" : "";
        };
        if (!problem.isEmpty()) {
            throw new CommandException("the operation " + operation + " " + problem);
        }
    }

    private static ObjectNode name(String group, String version) {
        return JsonNodeFactory.instance.objectNode().put("group", group).put("version", version);
    }

    private static String namespace(JsonNode subject, Optional<Resource> resource) {
        var given = subject.path("metadata").path("namespace").asText();
        return given.isEmpty() && resource.map(Resource::namespaced).orElse(false) ? "default" : given;
    }

    private static void putText(ObjectNode node, String key, String value) {
        if (!value.isEmpty()) {
            node.put(key, value);
        }
    }
}
