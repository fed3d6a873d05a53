package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlProcess;
import io.portcullis.kwctl.SamplePolicies;
import io.portcullis.testkit.program.FreePort;
import io.portcullis.testkit.program.RunningProgram;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kwctl and the policy server return the same response, byte for byte. */
class SameAnswerEverywhereIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** A module with settings, for both programs. */
    private record Subject(String id, String module, String settings) {}

    private static final List<Subject> SUBJECTS = List.of(
            new Subject("privileged", SamplePolicies.PRIVILEGED_PODS, "{}"),
            new Subject("user", SamplePolicies.RUN_AS_USER, "{\"runAsUser\": 7, \"runAsGroup\": 8}"),
            new Subject("labels", SamplePolicies.WASI, "{\"defaultLabels\": {\"b\": \"2\", \"a/b~c\": \"<1>\"}}"),
            new Subject("gatekeeper", SamplePolicies.GATEKEEPER, "{}"),
            new Subject("opa", SamplePolicies.OPA, "{}"),
            new Subject("trap", SamplePolicies.path("misbehaving/trap-in-validate.wasm"), "{}"));

    private static final Map<String, String> REQUESTS = Map.of(
            "bad.json", review(SamplePolicies.podRequest(true)),
            "good.json", review(SamplePolicies.podRequest(false)),
            "service.json", review("""
                    {"uid":"ü\\"<u>","kind":{"group":"","version":"v1","kind":"Service"},
                     "resource":{"group":"","version":"v1","resource":"services"},
                     "operation":"CREATE","namespace":"default","userInfo":{"username":"bob"},
                     "object":{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},
                      "spec":{"type":"NodePort","ports":[{"port":80.5e1}]}}}
                    """),
            "deletion.json", review("""
                    {"uid":"u3","kind":{"group":"","version":"v1","kind":"Pod"},
                     "resource":{"group":"","version":"v1","resource":"pods"},
                     "operation":"DELETE","namespace":"default","userInfo":{"username":"bob"},
                     "object":null,"oldObject":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}}
                    """));

    @TempDir
    private static Path directory;

    private static RunningProgram server;
    private static int port;

    private static String review(String request) {
        return "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":" + request + "}";
    }

    @BeforeAll
    static void serve() throws Exception {
        for (var request : REQUESTS.entrySet()) {
            Files.writeString(directory.resolve(request.getKey()), request.getValue());
        }
        var policies = SUBJECTS.stream()
                .map(subject -> "%s: {module: \"file://%s\", allowedToMutate: true, settings: %s}\n"
                        .formatted(subject.id(), subject.module(), subject.settings()))
                .collect(Collectors.joining());
        Files.writeString(directory.resolve("policies.yml"), policies);
        port = FreePort.find();
        var probe = FreePort.find();
        server = RunningProgram.start(
                directory.resolve("server.log"),
                List.of(
                        KwctlProcess.program("policy-server"),
                        "--standalone",
                        "--addr",
                        "127.0.0.1",
                        "--port",
                        Integer.toString(port),
                        "--readiness-probe-port",
                        Integer.toString(probe),
                        "--policies",
                        directory.resolve("policies.yml").toString(),
                        "--policies-download-dir",
                        directory.resolve("downloads").toString()),
                Map.of());
        try (var http = HttpClient.newHttpClient()) {
            server.awaitAnswer(http, URI.create("http://127.0.0.1:" + probe + "/readiness"), 200, LIMIT);
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void returnsTheSameResponse() throws Exception {
        var kwctl = new KwctlProcess(directory);
        try (var http = HttpClient.newHttpClient()) {
            for (var subject : SUBJECTS) {
                for (var file : REQUESTS.keySet()) {
                    var served = http.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/validate/" + subject.id()))
                                    .header("Content-Type", "application/json")
                                    .POST(BodyPublishers.ofString(REQUESTS.get(file)))
                                    .build(),
                            BodyHandlers.ofString());

                    var ran = kwctl.run(
                            "run", subject.module(), "-r", file, "--settings-json", subject.settings(), "-o", "review");

                    assertThat(served.statusCode()).as(subject.id()).isEqualTo(200);
                    assertThat(ran.out().strip())
                            .as(subject.id() + " " + file + "\n" + ran.err())
                            .isEqualTo(served.body().strip());
                }
            }
        }
    }
}
