package io.portcullis.evaluator.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.AdmissionResponse.Cause;
import io.portcullis.evaluator.AdmissionResponse.Details;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.host.HostBackend;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests groups whose members are real modules. */
class GroupOfRealPoliciesTest {

    private static final ContextAwareResource NAMESPACE = new ContextAwareResource("v1", "Namespace");
    private static final EvaluationRequest POD = Kinds.create("Pod", "default", "{'metadata':{'name':'p'}}");

    private static final HostBackend CLUSTER = (request, _) -> switch (request) {
        case HostRequest.KubernetesGetResource _ -> bytes("{\"metadata\":{\"labels\":{\"team\":\"a\"}}}");
        case HostRequest.KubernetesListResourceAll _ ->
            bytes("{\"items\":[{\"metadata\":{\"name\":\"default\",\"labels\":{\"closed\":\"true\"}}}]}");
        case HostRequest.KubernetesGetResourcePluralName _ -> bytes("\"namespaces\"");
        default -> throw new HostCallException("unexpected " + request);
    };

    private static WasmEngine engine;

    @BeforeAll
    static void start() {
        engine = WasmEngines.best();
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    private static LoadedPolicy group(String expression, Map<String, PolicyEntry.Module> members) {
        return new Kinds(engine, CLUSTER).group(expression, PolicyMode.PROTECT, members);
    }

    @Test
    void membersReadTheClusterWithTheirOwnGrants() {
        var settings = "{'requiredNamespaceLabel':'team'}";
        var granted = Kinds.module("go-namespace-labels", settings, NAMESPACE);
        var notGranted = Kinds.module("go-namespace-labels", settings);

        try (var group = group("granted()", Map.of("granted", granted, "other", notGranted))) {
            assertThat(group.validate(POD).allowed()).isTrue();
        }
        try (var group = group("granted() && other()", Map.of("granted", granted, "other", notGranted))) {
            assertThat(group.validate(POD).status().flatMap(Status::details))
                    .contains(Details.causes(List.of(new Cause(
                            null,
                            "Policy has not been granted access to Kubernetes v1/Namespace resources. The violation has been reported.",
                            "spec.policies.other"))));
        }
    }

    @Test
    void regoMembersHaveSeparateInventories() {
        var granted = Kinds.module("opa-service-types", "{}", NAMESPACE);
        var notGranted = Kinds.module("opa-service-types", "{}");

        try (var group = group("granted()", Map.of("granted", granted))) {
            assertThat(group.validate(POD).status().flatMap(Status::details))
                    .contains(Details.causes(List.of(
                            new Cause(null, "namespace default is closed for services", "spec.policies.granted"))));
        }
        try (var group = group("other()", Map.of("other", notGranted))) {
            assertThat(group.validate(POD).allowed()).isTrue();
        }
    }

    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
