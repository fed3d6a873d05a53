package io.portcullis.evaluator.kinds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.host.HostBackend;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the Go sample with the whole evaluator; wire example 83. */
class WasiPolicyTest {

    private static final ContextAwareResource NAMESPACE = new ContextAwareResource("v1", "Namespace");
    private static final HostBackend CLUSTER =
            (_, _) -> "{\"metadata\":{\"labels\":{\"team\":\"a\"}}}".getBytes(StandardCharsets.UTF_8);

    private static WasmEngine engine;

    @BeforeAll
    static void start() {
        engine = WasmEngines.best();
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    @Test
    void rejectsRawRequestsWithMessageAndCode() {
        try (var policy = new Kinds(engine, CLUSTER).load("go-namespace-labels", "{'validUsers':['wanda']}")) {
            assertThat(policy.validate(Kinds.raw("{\"user\":\"wanda\"}"))).isEqualTo(AdmissionResponse.allow(""));
            var rejected = policy.validate(Kinds.raw("{\"user\":\"tonio\"}"));

            assertThat(rejected.allowed()).isFalse();
            assertThat(message(rejected)).isEqualTo("User 'tonio' is not allowed");
            assertThat(rejected.status().flatMap(Status::code)).contains(403);
        }
    }

    @Test
    void mutatesTheObject() {
        try (var policy = new Kinds(engine, CLUSTER).load("go-namespace-labels", "{'defaultLabels':{'owner':'me'}}")) {
            var response = policy.validate(Kinds.create("Pod", "default", "{'metadata':{'name':'p'}}"));

            assertThat(response.patch().map(patch -> new String(patch, StandardCharsets.UTF_8)))
                    .contains("[{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{\"owner\":\"me\"}}]");
        }
    }

    @Test
    void readsObjectsFromTheCluster() {
        try (var policy = new Kinds(engine, CLUSTER)
                .load("go-namespace-labels", "{'requiredNamespaceLabel':'team'}", NAMESPACE)) {
            assertThat(policy.validate(Kinds.create("Pod", "default", "{}")).allowed())
                    .isTrue();
        }
        try (var policy = new Kinds(engine, CLUSTER)
                .load("go-namespace-labels", "{'requiredNamespaceLabel':'other'}", NAMESPACE)) {
            assertThat(message(policy.validate(Kinds.create("Pod", "default", "{}"))))
                    .isEqualTo("namespace default has no label other");
        }
    }

    @Test
    void guestReceivesTheErrorOfADeniedHostCall() {
        try (var policy = new Kinds(engine, CLUSTER).load("go-namespace-labels", "{'requiredNamespaceLabel':'team'}")) {
            assertThat(message(policy.validate(Kinds.create("Pod", "default", "{}"))))
                    .isEqualTo(
                            "Policy has not been granted access to Kubernetes v1/Namespace resources. The violation has been reported.");
        }
        HostBackend broken = (_, _) -> {
            throw new HostCallException("not found");
        };
        try (var policy =
                new Kinds(engine, broken).load("go-namespace-labels", "{'requiredNamespaceLabel':'team'}", NAMESPACE)) {
            assertThat(message(policy.validate(Kinds.create("Pod", "default", "{}"))))
                    .isEqualTo("Callback evaluation failure: not found");
        }
    }

    @Test
    void policyRejectsInvalidSettings() {
        assertThatThrownBy(() -> new Kinds(engine, CLUSTER).load("go-namespace-labels", "{'validUsers':5}"))
                .isInstanceOf(PolicyLoadException.class)
                .hasMessageStartingWith("Policy settings are invalid: json: cannot unmarshal number");
    }

    @Test
    void failureMessageIsStandardError() {
        try (var policy = new Kinds(engine, CLUSTER).load("go-namespace-labels", "{}")) {
            var response = policy.validate(Kinds.raw("[1]"));

            assertThat(response.allowed()).isFalse();
            assertThat(message(response)).startsWith("json: cannot unmarshal array");
            assertThat(response.status().flatMap(Status::code)).contains(500);
        }
    }

    private static String message(AdmissionResponse response) {
        return response.status().flatMap(Status::message).orElse("");
    }
}
