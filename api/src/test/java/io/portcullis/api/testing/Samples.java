package io.portcullis.api.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
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
    public static final Path DIRECTORY = Path.of("src/test/resources/samples");

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

    public static Class<? extends Policy> type(PolicyKind kind) {
        return switch (kind) {
            case ADMISSION_POLICY -> AdmissionPolicy.class;
            case CLUSTER_ADMISSION_POLICY -> ClusterAdmissionPolicy.class;
            case ADMISSION_POLICY_GROUP -> AdmissionPolicyGroup.class;
            case CLUSTER_ADMISSION_POLICY_GROUP -> ClusterAdmissionPolicyGroup.class;
        };
    }

    /** Returns the sample policy of a kind, with generation 3 and uid {@code uid-1}. */
    public static Policy policy(PolicyKind kind) {
        var file = DIRECTORY.resolve(kind.wireName() + ".yaml");
        return as(type(kind), read(file));
    }
}
