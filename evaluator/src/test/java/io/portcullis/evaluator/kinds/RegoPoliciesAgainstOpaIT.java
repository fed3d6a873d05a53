package io.portcullis.evaluator.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.host.HostBackend;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.evaluator.testing.Opa;
import io.portcullis.wasm.engine.WasmEngines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that our evaluator returns the same results for our Rego policies as {@code opa eval} for their sources. */
class RegoPoliciesAgainstOpaIT {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int INPUTS = 150;
    private static final ContextAwareResource NAMESPACE = new ContextAwareResource("v1", "Namespace");
    private static final ContextAwareResource INGRESS = new ContextAwareResource("networking.k8s.io/v1", "Ingress");

    private static final String CLOSED = "{'metadata':{'name':'a','labels':{'closed':'true'}}}";
    private static final String OPEN = "{'metadata':{'name':'b','labels':{}}}";
    private static final String FIRST =
            "{'metadata':{'name':'i','namespace':'a'},'spec':{'rules':[{'host':'h1'},{'host':'h2'}]}}";
    private static final String SECOND = "{'metadata':{'name':'j','namespace':'b'},'spec':{'rules':[{'host':'h3'}]}}";

    private static final HostBackend CLUSTER = (request, _) -> switch (request) {
        case HostRequest.KubernetesListResourceAll all ->
            bytes("{'items':[" + (all.kind().equals("Namespace") ? CLOSED + "," + OPEN : FIRST + "," + SECOND) + "]}");
        case HostRequest.KubernetesGetResourcePluralName _ -> bytes("'namespaces'");
        default -> throw new HostCallException("unexpected " + request);
    };

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"opa-service-types", "opa-denied-labels"})
    void opa(String policy) throws Exception {
        var data = object("{'types':['NodePort','LoadBalancer'],'denied':['env','team']}");
        var settings = data.toString();
        data.set("kubernetes", object("{'namespaces':{'a':" + CLOSED + ",'b':" + OPEN + "}}"));
        var requests = requests(7);
        var inputs = requests.stream().map(request -> wrap("request", request)).toList();
        var expected = evaluate(policy, "main", data, inputs).stream()
                .map(result -> answer(
                        result.at("/response/allowed").asBoolean(),
                        result.at("/response/status/message").asText()))
                .toList();

        assertThat(actual(policy, settings, requests, NAMESPACE)).isEqualTo(expected);
        assertThat(expected).anyMatch(text -> text.startsWith("true")).anyMatch(text -> text.startsWith("false"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gatekeeper-privileged-containers", "gatekeeper-unique-hosts"})
    void gatekeeper(String policy) throws Exception {
        var settings = "{'exempt':['c1']}";
        var data = object("{'inventory':{'cluster':{},'namespace':{"
                + "'a':{'networking.k8s.io/v1':{'Ingress':{'i':" + FIRST + "}}},"
                + "'b':{'networking.k8s.io/v1':{'Ingress':{'j':" + SECOND + "}}}}}}");
        var requests = requests(8);
        var inputs = requests.stream()
                .map(request -> {
                    var input = wrap("review", request);
                    input.set("parameters", object(settings));
                    return input;
                })
                .toList();
        var expected = evaluate(policy, "violation", data, inputs).stream()
                .map(result -> answer(
                        result.isEmpty(),
                        StreamSupport.stream(result.spliterator(), false)
                                .map(violation -> violation.path("msg").asText())
                                .collect(Collectors.joining(", "))))
                .map(RegoPoliciesAgainstOpaIT::sorted)
                .toList();

        assertThat(actual(policy, settings, requests, INGRESS))
                .map(RegoPoliciesAgainstOpaIT::sorted)
                .isEqualTo(expected);
        assertThat(expected).anyMatch(text -> text.startsWith("true")).anyMatch(text -> text.startsWith("false"));
    }

    private static List<String> actual(
            String policy, String settings, List<EvaluationRequest.Admission> requests, ContextAwareResource grant) {
        try (var engine = WasmEngines.best();
                var loaded = new Kinds(engine, CLUSTER).load(policy, settings, grant)) {
            return requests.stream()
                    .map(loaded::validate)
                    .map(response -> answer(response.allowed(), message(response)))
                    .toList();
        }
    }

    private static String answer(boolean allowed, String message) {
        return allowed + " " + message;
    }

    /** Sorts the violations: they are a set without an order. */
    private static String sorted(String answer) {
        var parts = answer.split(" ", 2);
        return parts[0]
                + Arrays.stream(parts[1].split(", (?=host |Privileged )", -1))
                        .sorted()
                        .toList();
    }

    private static String message(AdmissionResponse response) {
        return response.status().flatMap(Status::message).orElse("");
    }

    /** Creates objects in which every part is present, absent or of the wrong type. */
    private static List<EvaluationRequest.Admission> requests(long seed) {
        var random = new Random(seed);
        return IntStream.range(0, INPUTS)
                .mapToObj(_ -> Kinds.create(
                        pick(random, "Service", "Pod", "Ingress"),
                        pick(random, "a", "b", "none"),
                        "{" + String.join(",", parts(random)) + "}"))
                .toList();
    }

    private static List<String> parts(Random random) {
        var parts = new ArrayList<String>();
        parts.add("'metadata':"
                + pick(
                        random,
                        "{'name':'i'}",
                        "{'name':'n','namespace':'a','labels':{'env':'x','ok':'y'}}",
                        "{'labels':{'team':1,'env':null}}",
                        "5",
                        "{'labels':[]}"));
        var container = "{'name':'c" + random.nextInt(3) + "','securityContext':"
                + pick(random, "{'privileged':true}", "{'privileged':false}", "{}", "null", "'x'") + "}";
        parts.add("'spec':{'type':"
                + pick(random, "'NodePort'", "'ClusterIP'", "'LoadBalancer'", "3", "null")
                + ",'containers':"
                + pick(random, "[" + container + "]", "[]", "'none'", "[" + container + "," + container + "]")
                + ",'rules':"
                + pick(random, "[{'host':'h1'}]", "[{'host':'h9'}]", "[{'host':'h3'},{'host':'h2'}]", "{}")
                + "}");
        return parts;
    }

    private static String pick(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /**
     * Evaluates all inputs in one run of {@code opa}. Each input is a separate variable, because {@code opa} otherwise
     * caches rules across inputs.
     */
    private List<JsonNode> evaluate(String policy, String rule, ObjectNode data, List<ObjectNode> inputs)
            throws IOException, InterruptedException {
        var opa = Opa.orSkip();
        var source = Path.of("..", "policies", policy, "policy.rego");
        data.putArray("inputs").addAll(inputs);
        var file = Files.write(directory.resolve("data.json"), JSON.writeValueAsBytes(data));
        var query = "[r | some document in data.inputs; r := data.policy." + rule + " with input as document]";
        var process = new ProcessBuilder(
                        opa.toString(), "eval", "-f", "json", "-d", source.toString(), "-d", file.toString(), query)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var output = JSON.readTree(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output::toString).isZero();
        var results = new ArrayList<JsonNode>();
        output.at("/result/0/expressions/0/value").forEach(results::add);
        assertThat(results).hasSameSizeAs(inputs);
        return results;
    }

    private static ObjectNode wrap(String key, EvaluationRequest request) {
        try {
            return JSON.createObjectNode().set(key, JSON.readTree(request.json()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectNode object(String json) {
        try {
            return (ObjectNode) JSON.readTree(bytes(json));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] bytes(String json) {
        return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }
}
