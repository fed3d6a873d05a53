package io.portcullis.kwctl.scan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;

/**
 * Finds the plural names of custom kinds, which the rules of policies use. Sources are CRDs among the scanned objects, the
 * cached resource types of a cluster, and else the regular English plural.
 */
final class KnownKinds {

    private KnownKinds() {}

    /** @param cached the cached resource types of a cluster; may be missing */
    static ObjectNode catalogue(List<ScannedObject> objects, JsonNode cached) {
        var catalogue = JsonNodeFactory.instance.objectNode();
        var resources = catalogue.putObject("resources");
        objects.forEach(scanned -> resources.set(key(scanned.object()), guess(scanned.object())));
        cached.path("resources").properties().forEach(known -> resources.set(known.getKey(), known.getValue()));
        objects.stream()
                .map(ScannedObject::object)
                .filter(object -> object.path("kind").asText().equals("CustomResourceDefinition"))
                .forEach(definition -> define(definition.path("spec"), resources));
        return catalogue;
    }

    private static String key(JsonNode object) {
        var apiVersion = object.path("apiVersion").asText();
        return (apiVersion.contains("/") ? apiVersion.replace('/', '|') : "|" + apiVersion) + "|"
                + object.path("kind").asText();
    }

    /** Guesses the resource of an object. An object with a namespace is namespaced. */
    private static ObjectNode guess(JsonNode object) {
        return resource(
                plural(object.path("kind").asText().toLowerCase(Locale.ROOT)),
                object.path("metadata").hasNonNull("namespace"));
    }

    static String plural(String word) {
        if (word.matches(".*(s|x|z|ch|sh)")) {
            return word + "es";
        }
        return word.matches(".*[^aeiou]y") ? word.substring(0, word.length() - 1) + "ies" : word + "s";
    }

    private static void define(JsonNode spec, ObjectNode resources) {
        var names = spec.path("names");
        for (var version : spec.path("versions")) {
            resources.set(
                    spec.path("group").asText() + "|" + version.path("name").asText() + "|"
                            + names.path("kind").asText(),
                    resource(
                            names.path("plural").asText(),
                            spec.path("scope").asText().equals("Namespaced")));
        }
    }

    private static ObjectNode resource(String plural, boolean namespaced) {
        return JsonNodeFactory.instance.objectNode().put("name", plural).put("namespaced", namespaced);
    }
}
