package io.portcullis.api.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.testkit.sample.Samples;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the CRDs of Portcullis from the chart. */
final class Crds {

    private static final Path DIRECTORY = Path.of("../charts/portcullis-crds/templates");

    private Crds() {}

    static List<ObjectNode> all() {
        try (var files = Files.list(DIRECTORY)) {
            return files.filter(file -> file.getFileName().toString().startsWith("policies.kubewarden.io_"))
                    .sorted()
                    .map(Samples::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String kind(JsonNode crd) {
        return crd.at("/spec/names/kind").asText();
    }

    static ObjectNode of(String kind) {
        return all().stream().filter(crd -> kind(crd).equals(kind)).findFirst().orElseThrow();
    }

    static JsonNode version(JsonNode crd, String name) {
        for (JsonNode version : crd.at("/spec/versions")) {
            if (version.path("name").asText().equals(name)) {
                return version;
            }
        }
        throw new AssertionError(kind(crd) + " has no version " + name);
    }

    static JsonNode schema(JsonNode version) {
        return version.at("/schema/openAPIV3Schema");
    }

    static JsonNode properties(String kind, String pointer) {
        return schema(version(of(kind), "v1")).at(pointer + "/properties");
    }
}
