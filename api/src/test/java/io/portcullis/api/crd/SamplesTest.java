package io.portcullis.api.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.testkit.sample.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks one complete sample per kind: the schema accepts it, and the Java types lose no field. */
class SamplesTest {

    static Stream<String> files() throws IOException {
        try (var files = Files.list(Samples.DIRECTORY)) {
            return files.map(Path::getFileName).map(Path::toString).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void isAcceptedByTheSchema(String file) {
        var sample = Samples.read(Samples.DIRECTORY.resolve(file));
        var schema = Crds.schema(Crds.version(Crds.of(sample.path("kind").asText()), "v1"));

        assertThat(SchemaCheck.errors("", sample, schema)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("files")
    void isUnchangedByReadingAndWriting(String file) {
        JsonNode sample = Samples.read(Samples.DIRECTORY.resolve(file));

        JsonNode written =
                Samples.JSON.valueToTree(Samples.as(type(sample.path("kind").asText()), sample));

        assertThat(CanonicalJson.text(written)).isEqualTo(CanonicalJson.text(sample));
    }

    private static Class<? extends HasMetadata> type(String kind) {
        return switch (kind) {
            case "PolicyServer" -> PolicyServer.class;
            case "PolicyRevision" -> PolicyRevision.class;
            default -> PolicyKind.parse(kind).orElseThrow().type();
        };
    }
}
