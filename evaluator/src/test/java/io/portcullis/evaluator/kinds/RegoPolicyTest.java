package io.portcullis.evaluator.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.host.HostBackend;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the Rego samples with the whole evaluator; wire examples 82, 89, 91, 92. */
class RegoPolicyTest {

    private static final ContextAwareResource NAMESPACE = new ContextAwareResource("v1", "Namespace");
    private static final ContextAwareResource INGRESS = new ContextAwareResource("networking.k8s.io/v1", "Ingress");

    private static WasmEngine engine;

    @BeforeAll
    static void start() {
        engine = WasmEngines.best();
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    private static final HostBackend NO_CLUSTER = (_, _) -> {
        throw new HostCallException("no cluster");
    };

    @Test
    void opaRejectsWithItsMessage() {
        try (var policy = new Kinds(engine, NO_CLUSTER).load("opa-service-types", "{'types':['NodePort']}")) {
            var nodePort = Kinds.create("Service", "default", "{'spec':{'type':'NodePort'}}");
            var clusterIp = Kinds.create("Service", "default", "{'spec':{'type':'ClusterIP'}}");

            assertThat(message(policy.validate(nodePort))).isEqualTo("Service of type NodePort are not allowed");
            assertThat(policy.validate(nodePort).uid()).isEqualTo("u1");
            assertThat(policy.validate(nodePort).allowed()).isFalse();
            assertThat(policy.validate(clusterIp)).isEqualTo(AdmissionResponse.allow("u1"));
        }
    }

    @Test
    void opaEvaluatesRawRequests() {
        try (var policy = new Kinds(engine, NO_CLUSTER).load("opa-service-types", "{'types':['NodePort']}")) {
            assertThat(policy.validate(Kinds.raw("{\"user\":\"tonio\"}"))).isEqualTo(AdmissionResponse.allow(""));
            assertThat(policy.validate(Kinds.raw("null")).allowed()).isTrue();
        }
    }

    @Test
    void opaFindsClusterObjectsUnderPluralNames() {
        HostBackend cluster = (request, _) -> switch (request) {
            case HostRequest.KubernetesListResourceAll _ ->
                bytes(
                        "{\"items\":[{\"metadata\":{\"name\":\"a\",\"labels\":{\"closed\":\"true\"}}},{\"metadata\":{\"name\":\"b\"}}]}");
            case HostRequest.KubernetesGetResourcePluralName _ -> bytes("\"namespaces\"");
            default -> throw new HostCallException("unexpected " + request);
        };
        try (var policy = new Kinds(engine, cluster)
                .load("opa-service-types", "{'types':['NodePort'],'kubernetes':1}", NAMESPACE)) {
            assertThat(message(policy.validate(Kinds.create("Service", "a", "{'spec':{'type':'NodePort'}}"))))
                    .isEqualTo("Service of type NodePort are not allowed, namespace a is closed for services");
            assertThat(policy.validate(Kinds.create("Service", "b", "{'spec':{'type':'ClusterIP'}}"))
                            .allowed())
                    .isTrue();
        }
    }

    /** Settings of this size are parsed once per policy; two policies of one module must not share them. */
    @Test
    void policiesOfOneModuleKeepTheirOwnLargeSettings() {
        var many = IntStream.range(0, 20_000).mapToObj(i -> "'type" + i + "'").collect(Collectors.joining(","));
        var kinds = new Kinds(engine, NO_CLUSTER);
        var entry = Kinds.module("opa-service-types", "{'types':['NodePort'," + many + "]}");
        var other = Kinds.module("opa-service-types", "{'types':['LoadBalancer'," + many + "]}");
        try (var first =
                        kinds.load("first", new PolicyEntry.Single(entry, PolicyMode.PROTECT, true, Optional.empty()));
                var second = kinds.load(
                        "second", new PolicyEntry.Single(other, PolicyMode.PROTECT, true, Optional.empty()))) {
            var service = Kinds.create("Service", "a", "{'spec':{'type':'NodePort'}}");

            for (int i = 0; i < 3; i++) {
                assertThat(message(first.validate(service))).isEqualTo("Service of type NodePort are not allowed");
                assertThat(second.validate(service).allowed()).isTrue();
            }
        }
    }

    @Test
    void opaRejectsWhenTheClusterDoesNotAnswer() {
        try (var policy = new Kinds(engine, NO_CLUSTER).load("opa-service-types", "{}", NAMESPACE)) {
            var response = policy.validate(Kinds.create("Service", "a", "{}"));

            assertThat(message(response)).isEqualTo("Callback evaluation failure: no cluster");
            assertThat(response.status().flatMap(Status::code)).contains(500);
        }
    }

    @Test
    void gatekeeperRejectsWithAllViolations() {
        try (var policy = new Kinds(engine, NO_CLUSTER).load("gatekeeper-privileged-containers", "{'exempt':['ok']}")) {
            var pod = Kinds.create(
                    "Pod",
                    "default",
                    "{'spec':{'containers':[{'name':'a','securityContext':{'privileged':true}},"
                            + "{'name':'ok','securityContext':{'privileged':true}},"
                            + "{'name':'b','securityContext':{'privileged':true}}]}}");

            assertThat(message(policy.validate(pod)))
                    .isEqualTo("Privileged container is not allowed: a, securityContext: {\"privileged\": true}, "
                            + "Privileged container is not allowed: b, securityContext: {\"privileged\": true}");
            assertThat(policy.validate(Kinds.create("Pod", "default", "{'spec':{'containers':[{'name':'a'}]}}")))
                    .isEqualTo(AdmissionResponse.allow("u1"));
        }
    }

    @Test
    void gatekeeperRejectsRawRequests() {
        try (var policy = new Kinds(engine, NO_CLUSTER).load("gatekeeper-privileged-containers", "{}")) {
            var response = policy.validate(Kinds.raw("{\"user\":\"wanda\"}"));

            assertThat(message(response))
                    .isEqualTo("internal server error: Gatekeeper does not support raw validation requests");
            assertThat(response.status().flatMap(Status::code)).contains(500);
        }
    }

    @Test
    void gatekeeperFindsClusterObjectsInItsInventory() {
        var items = IntStream.range(0, 2000)
                .mapToObj(i -> "{\"metadata\":{\"name\":\"i" + i + "\",\"namespace\":\"ns" + i % 7
                        + "\"},\"spec\":{\"rules\":[{\"host\":\"host" + i + ".example.com\"}]}}")
                .collect(Collectors.joining(","));
        var list = bytes("{\"apiVersion\":\"networking.k8s.io/v1\",\"kind\":\"IngressList\",\"metadata\":{},\"items\":["
                + items + "]}");
        try (var policy = new Kinds(engine, (_, _) -> list).load("gatekeeper-unique-hosts", "{}", INGRESS)) {
            var taken = Kinds.create(
                    "Ingress", "x", "{'metadata':{'name':'n'},'spec':{'rules':[{'host':'host11.example.com'}]}}");
            var free = Kinds.create(
                    "Ingress", "x", "{'metadata':{'name':'n'},'spec':{'rules':[{'host':'free.example.com'}]}}");

            for (int i = 0; i < 3; i++) {
                assertThat(message(policy.validate(taken)))
                        .isEqualTo("host host11.example.com is already taken by ingress ns4/i11");
                assertThat(policy.validate(free)).isEqualTo(AdmissionResponse.allow("u1"));
            }
        }
    }

    private static String message(AdmissionResponse response) {
        return response.status().flatMap(Status::message).orElse("");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
