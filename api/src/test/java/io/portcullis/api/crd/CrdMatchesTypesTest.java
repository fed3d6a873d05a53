package io.portcullis.api.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.policy.AncestorStatus;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyContent;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.policyserver.PolicyServerSpec;
import io.portcullis.api.policyserver.PolicyServerStatus;
import io.portcullis.api.policyserver.Tenancy;
import io.portcullis.api.revision.PolicyRevisionSpec;
import io.portcullis.api.revision.PolicyRevisionStatus;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks that the Java types have exactly the fields of the CRDs. The YAML files are the source of the definitions. */
class CrdMatchesTypesTest {

    /** Fields of cluster-wide kinds only. For namespaced kinds the types read them as absent. */
    private static final Set<String> CLUSTER_ONLY =
            Set.of("namespaceSelector", "allowInsideAdmissionControllerNamespace", "contextAwareResources");

    @ParameterizedTest
    @EnumSource(PolicyKind.class)
    void policySpecHasTheFieldsOfTheSchema(PolicyKind kind) {
        var content = kind.isGroup() ? PolicyContent.Group.class : PolicyContent.Single.class;
        var expected = fields(PolicySpec.Placement.class, PolicySpec.Match.class, PolicySpec.Call.class, content);
        if (kind.isNamespaced()) {
            expected.removeAll(CLUSTER_ONLY);
        }

        assertThat(names(Crds.properties(kind.wireName(), "/properties/spec")))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @EnumSource(
            value = PolicyKind.class,
            names = {"ADMISSION_POLICY_GROUP", "CLUSTER_ADMISSION_POLICY_GROUP"})
    void groupMembersHaveTheFieldsOfTheSchema(PolicyKind kind) {
        assertThat(names(Crds.properties(kind.wireName(), "/properties/spec/properties/policies/additionalProperties")))
                .containsExactlyInAnyOrderElementsOf(fields(PolicyContent.Member.class));
    }

    @ParameterizedTest
    @EnumSource(PolicyKind.class)
    void policyStatusHasTheFieldsOfTheSchema(PolicyKind kind) {
        var status = "/properties/status";
        assertThat(names(Crds.properties(kind.wireName(), status)))
                .containsExactlyInAnyOrderElementsOf(fields(PolicyStatus.class));
        assertThat(names(Crds.properties(kind.wireName(), status + "/properties/conditions/items")))
                .containsExactlyInAnyOrderElementsOf(fields(Condition.class));
        assertThat(names(Crds.properties(kind.wireName(), status + "/properties/ancestors/items")))
                .containsExactlyInAnyOrderElementsOf(fields(AncestorStatus.class));
        assertThat(names(Crds.properties(
                        kind.wireName(), status + "/properties/ancestors/items/properties/ancestorRef")))
                .containsExactlyInAnyOrderElementsOf(fields(AncestorStatus.Ref.class));
    }

    @ParameterizedTest
    @EnumSource(PolicyKind.class)
    void crdNamesMatchTheKind(PolicyKind kind) {
        var crd = Crds.of(kind.wireName());
        var type = kind.type();

        assertThat(crd.at("/spec/names/plural").asText()).isEqualTo(kind.plural());
        assertThat(crd.at("/spec/names/shortNames/0").asText()).isEqualTo(kind.shortName());
        assertThat(crd.at("/spec/scope").asText()).isEqualTo(kind.isNamespaced() ? "Namespaced" : "Cluster");
        assertThat(io.fabric8.kubernetes.api.model.HasMetadata.getKind(type)).isEqualTo(kind.wireName());
        assertThat(io.fabric8.kubernetes.api.model.HasMetadata.getPlural(type)).isEqualTo(kind.plural());
        assertThat(io.fabric8.kubernetes.api.model.HasMetadata.getApiVersion(type))
                .isEqualTo("policies.kubewarden.io/v1");
    }

    @Test
    void policyServerHasTheFieldsOfTheSchema() {
        assertThat(names(Crds.properties("PolicyServer", "/properties/spec")))
                .containsExactlyInAnyOrderElementsOf(fields(
                        PolicyServerSpec.Fleet.class,
                        PolicyServerSpec.Container.class,
                        PolicyServerSpec.Scheduling.class,
                        PolicyServerSpec.Sources.class,
                        PolicyServerSpec.Ports.class,
                        PolicyServerSpec.Serving.class,
                        PolicyServerSpec.Tenants.class));
        var tenancy = "/properties/spec/properties/tenancy";
        assertThat(names(Crds.properties("PolicyServer", tenancy)))
                .containsExactlyInAnyOrderElementsOf(fields(Tenancy.class));
        assertThat(names(Crds.properties("PolicyServer", tenancy + "/properties/moduleSources")))
                .containsExactlyInAnyOrderElementsOf(fields(Tenancy.ModuleSources.class));
        assertThat(names(Crds.properties("PolicyServer", tenancy + "/properties/hostCalls")))
                .containsExactlyInAnyOrderElementsOf(fields(Tenancy.HostCalls.class));
        assertThat(names(Crds.properties("PolicyServer", "/properties/spec/properties/cache")))
                .containsExactlyInAnyOrderElementsOf(fields(PolicyServerSpec.Cache.class));
        assertThat(names(Crds.properties("PolicyServer", "/properties/status")))
                .containsExactlyInAnyOrderElementsOf(fields(PolicyServerStatus.class));
    }

    @Test
    void policyRevisionHasTheFieldsOfTheSchema() {
        assertThat(names(Crds.properties("PolicyRevision", "/properties/spec")))
                .containsExactlyInAnyOrderElementsOf(fields(PolicyRevisionSpec.class));
        assertThat(names(Crds.properties("PolicyRevision", "/properties/spec/properties/objectReference")))
                .containsExactlyInAnyOrderElementsOf(fields(PolicyRevisionSpec.PolicyReference.class));
        assertThat(names(Crds.properties("PolicyRevision", "/properties/status")))
                .containsExactlyInAnyOrderElementsOf(fields(PolicyRevisionStatus.class));
        assertThat(names(Crds.properties("PolicyRevision", "/properties/status/properties/artifacts/items")))
                .containsExactlyInAnyOrderElementsOf(fields(PolicyRevisionStatus.Artifact.class));
    }

    @Test
    void enumsListTheValuesOfTheTypes() {
        var status = Crds.properties("AdmissionPolicy", "/properties/status");
        assertThat(values(status.at("/policyStatus/enum")))
                .containsExactlyElementsOf(Stream.of(PolicyState.values())
                        .map(PolicyState::wireName)
                        .toList());
        assertThat(values(status.at("/phase/enum")))
                .containsExactlyElementsOf(
                        Stream.of(Phase.values()).map(Phase::wireName).toList());
        assertThat(values(status.at("/conditions/items/properties/status/enum")))
                .containsExactlyElementsOf(Stream.of(ConditionStatus.values())
                        .map(ConditionStatus::wireName)
                        .toList());
    }

    private static Set<String> fields(Class<?>... records) {
        var fields = new TreeSet<String>();
        for (Class<?> type : records) {
            Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getName)
                    .forEach(fields::add);
        }
        return fields;
    }

    private static List<String> names(JsonNode properties) {
        var names = new ArrayList<String>();
        properties.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static List<String> values(JsonNode array) {
        var values = new ArrayList<String>();
        array.forEach(value -> values.add(value.asText()));
        return values;
    }
}
