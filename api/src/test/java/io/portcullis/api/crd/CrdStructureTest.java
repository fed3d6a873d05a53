package io.portcullis.api.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the rules that an API server applies to CRDs, and some usability rules. */
class CrdStructureTest {

    record Schema(String name, JsonNode version, JsonNode root) {

        @Override
        public String toString() {
            return name;
        }
    }

    record Node(String path, JsonNode schema) {}

    static Stream<Schema> schemas() {
        return Crds.all().stream().flatMap(crd -> {
            var schemas = new ArrayList<Schema>();
            for (JsonNode version : crd.at("/spec/versions")) {
                schemas.add(new Schema(
                        Crds.kind(crd) + " " + version.path("name").asText(), version, Crds.schema(version)));
            }
            return schemas.stream();
        });
    }

    static Stream<JsonNode> crds() {
        return Crds.all().stream().map(JsonNode.class::cast);
    }

    @ParameterizedTest
    @MethodSource("schemas")
    void everyNodeHasAType(Schema schema) {
        assertThat(nodes(schema))
                .allSatisfy(node -> assertThat(node.schema().has("type")
                                ^ node.schema()
                                        .path("x-kubernetes-int-or-string")
                                        .asBoolean())
                        .as(node.path())
                        .isTrue());
    }

    @ParameterizedTest
    @MethodSource("schemas")
    void everyFieldHasADescription(Schema schema) {
        assertThat(nodes(schema))
                .filteredOn(node -> !node.path().endsWith("[]")
                        && !node.path().endsWith("{}")
                        && !node.path().equals("metadata"))
                .allSatisfy(node -> assertThat(node.schema().path("description").asText())
                        .as(node.path())
                        .isNotBlank());
    }

    @ParameterizedTest
    @MethodSource("schemas")
    void noNodeHasBothPropertiesAndAdditionalProperties(Schema schema) {
        assertThat(nodes(schema))
                .noneSatisfy(node -> assertThat(
                                node.schema().has("properties") && node.schema().has("additionalProperties"))
                        .isTrue());
    }

    @ParameterizedTest
    @MethodSource("schemas")
    void requiredFieldsExist(Schema schema) {
        for (Node node : nodes(schema)) {
            for (JsonNode required : node.schema().path("required")) {
                assertThat(node.schema().path("properties").has(required.asText()))
                        .as("%s.%s", node.path(), required.asText())
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("schemas")
    void defaultsAreValid(Schema schema) {
        for (Node node : nodes(schema)) {
            if (node.schema().has("default")) {
                assertThat(SchemaCheck.errors(node.path(), node.schema().path("default"), node.schema()))
                        .isEmpty();
            }
        }
    }

    /** Without these rules two entries of a list-map could have the same key. */
    @ParameterizedTest
    @MethodSource("schemas")
    void keysOfListMapsAreRequiredOrHaveADefault(Schema schema) {
        for (Node node : nodes(schema)) {
            for (JsonNode key : node.schema().path("x-kubernetes-list-map-keys")) {
                var items = node.schema().path("items");
                var required = new ArrayList<String>();
                items.path("required").forEach(name -> required.add(name.asText()));
                assertThat(required.contains(key.asText())
                                || items.at("/properties/" + key.asText()).has("default"))
                        .as("%s by %s", node.path(), key.asText())
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("schemas")
    void printerColumnsShowExistingFields(Schema schema) {
        for (JsonNode column : schema.version().path("additionalPrinterColumns")) {
            var path = column.path("jsonPath").asText();
            if (path.startsWith(".metadata.")) {
                continue;
            }
            var field = schema.root().at(pointer(path));
            assertThat(field.isMissingNode()).as(path).isFalse();
            if (column.path("type").asText().equals("string")) {
                continue;
            }
            assertThat(column.path("type").asText())
                    .as(path)
                    .isEqualTo(field.path("type").asText());
        }
    }

    @ParameterizedTest
    @MethodSource("schemas")
    void statusIsASubresource(Schema schema) {
        assertThat(schema.version().at("/subresources/status").isObject()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("crds")
    void oneVersionIsStoredAndAllAreServed(JsonNode crd) {
        var stored = new ArrayList<String>();
        for (JsonNode version : crd.at("/spec/versions")) {
            assertThat(version.path("served").asBoolean()).isTrue();
            if (version.path("storage").asBoolean()) {
                stored.add(version.path("name").asText());
            }
        }
        assertThat(stored).containsExactly("v1");
    }

    @ParameterizedTest
    @MethodSource("crds")
    void helmKeepsDefinitionsOnUninstall(JsonNode crd) {
        assertThat(crd.at("/metadata/annotations/helm.sh~1resource-policy").asText())
                .isEqualTo("keep");
        assertThat(crd.at("/metadata/name").asText())
                .isEqualTo(crd.at("/spec/names/plural").asText() + "."
                        + crd.at("/spec/group").asText());
    }

    private static String pointer(String jsonPath) {
        return jsonPath.replaceAll("\\[\\?[^]]*]", "/items").replaceAll("\\.(?=[A-Za-z])", "/properties/");
    }

    private static List<Node> nodes(Schema schema) {
        var nodes = new ArrayList<Node>();
        collect("", schema.root(), nodes);
        return nodes;
    }

    private static void collect(String path, JsonNode schema, List<Node> nodes) {
        nodes.add(new Node(path, schema));
        schema.path("properties")
                .properties()
                .forEach(entry -> collect(
                        path.isEmpty() ? entry.getKey() : path + "." + entry.getKey(), entry.getValue(), nodes));
        if (schema.has("items")) {
            collect(path + "[]", schema.path("items"), nodes);
        }
        if (schema.path("additionalProperties").isObject()) {
            collect(path + "{}", schema.path("additionalProperties"), nodes);
        }
    }
}
