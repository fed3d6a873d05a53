package io.portcullis.testkit.sample;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.portcullis.testkit.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads sample resources for tests from YAML. */
public final class Samples {

    public static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    private static final YAMLMapper YAML = new YAMLMapper();
    public static final Path DIRECTORY = Checkout.current().root().resolve("api/src/test/resources/samples");

    private Samples() {}

    public static ObjectNode read(Path file) {
        try {
            return (ObjectNode) YAML.readTree(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static ObjectNode yaml(String text) {
        try {
            return (ObjectNode) YAML.readTree(text);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static <T> T as(Class<T> type, JsonNode value) {
        try {
            return JSON.treeToValue(value, type);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the sample of a resource type. The samples of policies have generation 3 and uid {@code uid-1}. */
    public static <T> T sample(Class<T> type) {
        return as(type, read(DIRECTORY.resolve(type.getSimpleName() + ".yaml")));
    }
}
