package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.evaluator.metadata.MetadataSection;
import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import io.portcullis.kwctl.metadata.EditableModule;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs commands on randomly damaged files, the same on every run. A command must succeed or print a clear error. It must
 * never show an exception of Java itself, which would be a bug.
 */
class MalformedInputsTest {

    private static final int ROUNDS = Integer.getInteger("portcullis.fuzz.rounds", 40);
    private static final byte[] EMPTY_MODULE = {0, 'a', 's', 'm', 1, 0, 0, 0};
    private static final String POLICY = """
            apiVersion: policies.kubewarden.io/v1
            kind: ClusterAdmissionPolicyGroup
            metadata: {name: g, annotations: {a: "b"}}
            spec:
              rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
              matchConditions: [{name: m, expression: "request.dryRun || has(object.spec)"}]
              objectSelector: {matchExpressions: [{key: app, operator: In, values: [web]}]}
              expression: a() && !b()
              message: no
              policies:
                a: {module: file:///none.wasm, settings: {x: [1, 2.5, null, true]}}
                b: {module: registry://localhost:1/x:v1, contextAwareResources: [{apiVersion: v1, kind: Pod}]}
            """;
    private static final String SESSION = """
            - type: Exchange
              request: |
                !KubernetesGetResource
                api_version: v1
                kind: Namespace
                name: default
                namespace: null
                disable_cache: false
              response: {type: Success, payload: '{"metadata":{}}'}
            """;
    private static final String VERIFICATION = """
            apiVersion: v1
            allOf: [{kind: githubAction, owner: o, annotations: {a: b}}]
            anyOf: {minimumMatches: 1, signatures: [{kind: genericIssuer, issuer: i, subject: {urlPrefix: "https://x/"}}]}
            """;
    private static final String SUITE = """
            policy: empty.wasm
            cases: [{name: a, object: {apiVersion: v1, kind: Pod}, expect: {allowed: true, patch: [], code: 1}}]
            """;

    @TempDir
    Path directory;

    /** @param file the file name is the last argument, unless the line contains {@code @} */
    record Input(String name, byte[] seed, String file, List<String> words) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Input> inputs() throws Exception {
        var request = SamplePolicies.podRequest(true);
        var policy = SamplePolicies.PRIVILEGED_PODS;
        var metadata = MetadataSection.in(Files.readAllBytes(Path.of(policy))).orElseThrow();
        return List.of(
                new Input("module, inspected", module(metadata), "m.wasm", List.of("inspect", "@")),
                new Input("module, run", module(metadata), "m.wasm", List.of("run", "@", "-r", "r.json")),
                new Input(
                        "module, listed",
                        module(metadata),
                        "cache/kubewarden/store/https/h/m.wasm",
                        List.of("policies")),
                new Input("metadata, inspected", metadata, "metadata", List.of("inspect", "-o", "yaml", "@")),
                new Input(
                        "metadata, scaffolded",
                        metadata,
                        "metadata",
                        List.of("scaffold", "manifest", "-t", "ClusterAdmissionPolicy", "@")),
                text("metadata, annotated", utf8(metadata), "m.yml", "annotate", "-o", "o.wasm", policy, "-m", "@"),
                text("metadata, published", utf8(metadata), "m.yml", "scaffold", "artifacthub", "-m", "@"),
                text("policies, run", POLICY, "p.yaml", "run", "@", "--match", "-r", "r.json"),
                text("policies, scanned", POLICY, "p.yaml", "scan", "-p", "@", "r.json"),
                text("manifests, scanned", POLICY, "p.yaml", "scan", "-p", "good.yaml", "@"),
                text("object", POLICY, "p.yaml", "scaffold", "admission-request", "-o", "CREATE", "--object", "@"),
                text("admission policy", POLICY, "p.yaml", "scaffold", "vap", "-p", "@", "-b", "@"),
                text("suite", SUITE, "a-test.yaml", "test", "@"),
                text(
                        "shell tests",
                        "@test \"a\" {\n run kwctl run p.wasm -r 'r' --settings-json '{}'\n [ \"$status\" -eq 1 ]\n}\n",
                        "a.bats",
                        "test",
                        "--from-bats",
                        "@"),
                text(
                        "session",
                        SESSION,
                        "s.yml",
                        "run",
                        policy,
                        "-r",
                        "r.json",
                        "--replay-host-capabilities-interactions",
                        "@"),
                text("settings", "a: [1, {b: c}]\n", "s.yml", "run", policy, "-r", "r.json", "-s", "@"),
                text("request", request, "q.json", "run", policy, "-r", "@"),
                text("raw request", request, "q.json", "run", "--raw", policy, "-r", "@"),
                text(
                        "verification config",
                        VERIFICATION,
                        "v.yml",
                        "verify",
                        "--verification-config-path",
                        "@",
                        "localhost:1/x:v1"),
                text(
                        "sources",
                        "insecure_sources: [\"localhost:1\"]\nproxies: {no_proxy: \"a,10.0.0.0/8\"}\n",
                        "s.yml",
                        "digest",
                        "--sources-path",
                        "@",
                        "localhost:1/x:v1"),
                text(
                        "trust root",
                        "{\"trustedRoot\":{\"tlogs\":[{\"baseUrl\":\"x\"}]}}",
                        "t.json",
                        "run",
                        policy,
                        "-r",
                        "r.json",
                        "--sigstore-trust-config",
                        "@"),
                text(
                        "docker config",
                        "{\"auths\":{\"localhost:1\":{\"auth\":\"YTpi\"}}}",
                        "config.json",
                        "digest",
                        "--docker-config-json-path",
                        ".",
                        "localhost:1/x:v1"),
                text("archive", "\u001f junk", "a.tgz", "load", "--input", "@"));
    }

    private static Input text(String name, String seed, String file, String... words) {
        return new Input(name, seed.getBytes(StandardCharsets.UTF_8), file, List.of(words));
    }

    private static String utf8(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** A small module: damage is likely to hit a relevant part, and it compiles fast. */
    private static byte[] module(byte[] metadata) {
        return EditableModule.parse(EMPTY_MODULE)
                .withCustomSection(MetadataSection.NAME, metadata)
                .bytes();
    }

    @ParameterizedTest
    @MethodSource("inputs")
    void neverFailsWithAnInternalJavaException(Input input) throws Exception {
        var random = new Random(42);
        var kwctl = new KwctlRunner(directory).with("KUBECONFIG", "");
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(false));
        SamplePolicies.write(
                directory.resolve("good.yaml"), POLICY.replace("kind: ClusterAdmissionPolicyGroup", "kind: X"));
        Files.write(directory.resolve("empty.wasm"), EMPTY_MODULE);
        var file = directory.resolve(input.file());
        Files.createDirectories(file.getParent());
        for (var round = 0; round < ROUNDS; round++) {
            var damaged = damaged(input.seed(), random);
            Files.write(file, input.file().equals("metadata") ? module(damaged) : damaged);
            var words = input.words().stream()
                    .map(word -> word.replace("@", input.file()))
                    .toArray(String[]::new);

            var result = kwctl.run(words);

            assertThat(result.err())
                    .as("%s, round %d: %s", input, round, new String(damaged, StandardCharsets.ISO_8859_1))
                    .doesNotContain("\tat ")
                    .doesNotContainPattern("Error: [A-Za-z]*(Exception|Error): ");
            assertThat(result.code()).isIn(0, 1, 3);
        }
    }

    /** Changes, removes, duplicates or moves a few bytes. */
    private static byte[] damaged(byte[] seed, Random random) {
        var bytes = seed;
        for (var i = random.nextInt(4); i >= 0 && bytes.length > 1; i--) {
            var from = random.nextInt(bytes.length);
            var to = Math.min(bytes.length, from + 1 + random.nextInt(8));
            var out = new ByteArrayOutputStream();
            out.write(bytes, 0, from);
            switch (random.nextInt(5)) {
                case 0 -> out.write(random.nextInt(256));
                case 1 -> out.write("[]{}:,\"'\n-&*!#0".charAt(random.nextInt(15)));
                case 2 -> out.write(bytes, from, to - from);
                case 3 -> out.write(bytes, random.nextInt(from + 1), Math.min(4, bytes.length - from));
                default -> {
                    // Remove bytes.
                }
            }
            if (random.nextInt(20) > 0) {
                out.write(bytes, to, bytes.length - to);
            }
            bytes = out.toByteArray();
        }
        return bytes;
    }
}
