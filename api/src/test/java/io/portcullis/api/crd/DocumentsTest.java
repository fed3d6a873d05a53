package io.portcullis.api.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.testkit.golden.Golden;
import io.portcullis.testkit.sample.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The YAML examples of the documents that Portcullis comes from, as they stand there. The schema accepts an example, or
 * rejects it with the errors in the golden file. docs/compatibility.md explains each error.
 */
class DocumentsTest {

    private static final Path DIRECTORY = Path.of("src/test/resources/documents");
    private static final Golden GOLDEN = new Golden(Path.of("src/test/resources/golden/documents"));

    @Test
    void theSchemaAcceptsEachExampleOrReportsADocumentedError() throws IOException {
        GOLDEN.matches(
                "examples.txt", files().stream().map(DocumentsTest::describe).collect(Collectors.joining()));
    }

    @Test
    void thePageExplainsTheErrors() throws IOException {
        var page = Files.readString(Path.of("../docs/compatibility.md"));

        assertThat(files()).hasSize(17);
        assertThat(List.of(
                        "`spec.replicaSize`", "`spec.sources`", "`spec.policyID`", "`spec.dataHash`", "`status: True`"))
                .allSatisfy(field -> assertThat(page).contains(field));
    }

    private static List<Path> files() throws IOException {
        try (var files = Files.list(DIRECTORY)) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        }
    }

    private static String describe(Path file) {
        var errors = errors(Samples.read(file));
        return file.getFileName() + "\n"
                + (errors.isEmpty()
                        ? "  accepted\n"
                        : errors.stream().map(error -> "  " + error + "\n").collect(Collectors.joining()));
    }

    /** Checks a whole object, or a part of one. */
    private static List<String> errors(ObjectNode example) {
        if (example.has("kind")) {
            var version = example.path("apiVersion").asText().substring("policies.kubewarden.io/".length());
            var crd = Crds.of(example.path("kind").asText());
            return SchemaCheck.errors("", example, Crds.schema(Crds.version(crd, version)));
        }
        if (example.has("sources")) {
            var server = Crds.schema(Crds.version(Crds.of("PolicyServer"), "v1"));
            return SchemaCheck.errors("spec", example, server.at("/properties/spec"));
        }
        var policy = Crds.schema(Crds.version(Crds.of("ClusterAdmissionPolicy"), "v1"));
        var status = example.has("status")
                ? example
                : JsonNodeFactory.instance.objectNode().<ObjectNode>set("status", example);
        return SchemaCheck.errors("status", status.path("status"), policy.at("/properties/status"));
    }
}
