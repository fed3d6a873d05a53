package io.portcullis.kwctl.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.yaml.YamlDocuments;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The accepted fields are those of the custom resource definitions, for every kind. */
class PolicyFileTest {

    private static final Path DEFINITIONS = Path.of("..", "charts", "portcullis-crds", "templates");
    private static final List<String> KINDS = List.of(
            "admissionpolicies", "clusteradmissionpolicies", "admissionpolicygroups", "clusteradmissionpolicygroups");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "admissionpolicies",
                "clusteradmissionpolicies",
                "admissionpolicygroups",
                "clusteradmissionpolicygroups"
            })
    void acceptsTheFieldsThatAClusterAccepts(String plural) throws Exception {
        var definition = definition(plural);
        var known = fields(definition);
        for (var other : KINDS) {
            fields(definition(other)).fieldNames().forEachRemaining(field -> {
                var documents = List.<JsonNode>of(resource(definition, known, field));
                if (known.has(field)) {
                    assertThatCode(() -> PolicyFile.of(documents, List.of()))
                            .as(field)
                            .doesNotThrowAnyException();
                } else {
                    assertThatThrownBy(() -> PolicyFile.of(documents, List.of()))
                            .as(field)
                            .hasMessageContaining("unknown field `" + field + "`");
                }
            });
        }
    }

    @ParameterizedTest
    @CsvSource({
        "AdmissionPolicyGroup, 'namespace: team-a', team-a",
        "AdmissionPolicyGroup, , default",
        "ClusterAdmissionPolicyGroup, , "
    })
    void membersOfNamespacedGroupsReadTheirNamespaceOnly(
            String kind, @Nullable String namespace, @Nullable String limit) {
        var definition = PolicyFile.parse(
                        "policy.yaml", """
                        apiVersion: policies.kubewarden.io/v1
                        kind: %s
                        metadata: {name: g, %s}
                        spec:
                          expression: m()
                          message: no
                          policies:
                            m: {module: x, contextAwareResources: [{apiVersion: v1, kind: ConfigMap}]}
                        """.formatted(kind, namespace == null ? "" : namespace), List.of())
                .getFirst();

        assertThat(definition.entry()).isInstanceOfSatisfying(PolicyEntry.Group.class, group -> {
            var member = group.members().values().iterator().next();
            assertThat(member.contextAwareResources()).containsExactly(new ContextAwareResource("v1", "ConfigMap"));
            assertThat(member.contextNamespace()).isEqualTo(Optional.ofNullable(limit));
        });
    }

    private static JsonNode definition(String plural) throws Exception {
        return YamlDocuments.parse(Files.readString(DEFINITIONS.resolve("policies.kubewarden.io_" + plural + ".yaml")));
    }

    private static JsonNode fields(JsonNode definition) {
        for (var version : definition.path("spec").path("versions")) {
            if (version.path("name").asText().equals("v1")) {
                return version.at("/schema/openAPIV3Schema/properties/spec/properties");
            }
        }
        throw new AssertionError("no version v1");
    }

    /** Creates a resource with the required fields of its kind and one further field. */
    private static ObjectNode resource(JsonNode definition, JsonNode known, String field) {
        var resource = JsonNodeFactory.instance.objectNode();
        resource.put("apiVersion", "policies.kubewarden.io/v1");
        resource.put("kind", definition.at("/spec/names/kind").asText());
        var spec = resource.putObject("spec");
        spec.putNull(field);
        if (known.has("policies")) {
            spec.put("expression", "a()").put("message", "no");
            spec.putObject("policies").putObject("a").put("module", "m");
        } else {
            spec.put("module", "m");
        }
        if (field.equals("mode")) {
            spec.put("mode", "monitor");
        }
        return resource;
    }
}
