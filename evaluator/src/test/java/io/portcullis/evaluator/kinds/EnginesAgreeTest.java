package io.portcullis.evaluator.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.host.HostBackend;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that policies of all kinds give the same answers on both engines. */
class EnginesAgreeTest {

    private static final HostBackend NO_CLUSTER = (_, _) -> {
        throw new HostCallException("no cluster");
    };

    private static final String PRIVILEGED =
            "{'spec':{'containers':[{'name':'a','securityContext':{'privileged':true}}]}}";

    /** A long timeout, because the interpreter and a busy machine are slow. */
    private static final EvaluationLimits LONG_TIMEOUT =
            new EvaluationLimits(SizeLimits.DEFAULT, Optional.of(Duration.ofMinutes(1)));

    record Case(String policy, String settings, List<EvaluationRequest> requests) {}

    static Stream<Case> corpus() {
        return Stream.of(
                new Case(
                        "opa-service-types",
                        "{'types':['NodePort']}",
                        List.of(
                                Kinds.create("Service", "default", "{'spec':{'type':'NodePort'}}"),
                                Kinds.create("Service", "default", "{'spec':{'type':'ClusterIP'}}"),
                                Kinds.raw("[1,{\"ü\":null}]"))),
                new Case(
                        "gatekeeper-privileged-containers",
                        "{}",
                        List.of(
                                Kinds.create(
                                        "Pod",
                                        "default",
                                        "{'spec':{'containers':[{'name':'a','securityContext':{'privileged':true,'x':1.50}}]}}"),
                                Kinds.create("Pod", "default", "{}"),
                                Kinds.raw("{}"))),
                new Case(
                        "opa-denied-labels",
                        "{'denied':['env','ü']}",
                        List.of(
                                Kinds.create("Pod", "default", "{'metadata':{'labels':{'env':'1','ü':'2','x':'3'}}}"),
                                Kinds.create("Pod", "default", "{'metadata':{'labels':{'x':'3'}}}"),
                                Kinds.raw("null"))),
                new Case(
                        "privileged-pods",
                        "{'skip_init_containers':true}",
                        List.of(
                                Kinds.create("Pod", "default", PRIVILEGED),
                                Kinds.create(
                                        "Pod",
                                        "default",
                                        "{'spec':{'initContainers':[{'name':'a','securityContext':{'privileged':true}}],'containers':[]}}"),
                                Kinds.create("Pod", "default", "{'spec':'none'}"))),
                new Case(
                        "run-as-user",
                        "{'runAsUser':1000,'supplementalGroups':[1,2]}",
                        List.of(
                                Kinds.create("Pod", "default", PRIVILEGED),
                                Kinds.create("Pod", "default", "{'spec':{'containers':[]}}"))),
                new Case(
                        "host-call",
                        "{'binding':'kubewarden','namespace':'kubernetes','operation':'can_i','rawPayload':'{'}",
                        List.of(Kinds.create("Pod", "default", "{}"))),
                new Case(
                        "go-namespace-labels",
                        "{'defaultLabels':{'owner':'me'},'validUsers':['wanda']}",
                        List.of(
                                Kinds.create("Pod", "default", "{'metadata':{'name':'p'}}"),
                                Kinds.raw("{\"user\":\"wanda\"}"),
                                Kinds.raw("{\"user\":\"tönio\"}"),
                                Kinds.raw("[1]"))));
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void bothEnginesAgree(Case each) {
        try (var wasmtime = WasmEngines.wasmtime();
                var endive = WasmEngines.endive()) {
            assertThat(answers(endive, each))
                    .usingRecursiveFieldByFieldElementComparator()
                    .isEqualTo(answers(wasmtime, each));
        }
    }

    private static List<AdmissionResponse> answers(WasmEngine engine, Case each) {
        try (var policy = new Kinds(engine, NO_CLUSTER, LONG_TIMEOUT).load(each.policy, each.settings)) {
            return each.requests.stream().map(policy::validate).toList();
        }
    }
}
