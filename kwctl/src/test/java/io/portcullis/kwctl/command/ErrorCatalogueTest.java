package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks every error that a command reports for wrong arguments, files, policies or settings.
 *
 * <p>Expects exit code 1, nothing on standard output, the keywords on standard error, and no stack trace. {@link
 * RegistryRefusalsIT} covers registry errors (404, 401, TLS), {@link VerifiedPoliciesIT} covers signatures. {@code
 * ArgumentParserTest} and {@code KwctlTest} cover usage errors; {@code LauncherIT} covers the launcher.
 */
class ErrorCatalogueTest {

    private static HttpServer web;

    @TempDir
    Path directory;

    private KwctlRunner kwctl;

    @BeforeAll
    static void serve() throws Exception {
        web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.createContext("/page.wasm", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (var body = exchange.getResponseBody()) {
                body.write("<html>".getBytes(StandardCharsets.UTF_8));
            }
        });
        web.createContext("/policy.wasm", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (var body = exchange.getResponseBody()) {
                Files.copy(Path.of(SamplePolicies.PRIVILEGED_PODS), body);
            }
        });
        web.start();
    }

    @AfterAll
    static void stop() {
        web.stop(0);
    }

    private static String host() {
        return "127.0.0.1:" + web.getAddress().getPort();
    }

    private void write(String name, String text) {
        SamplePolicies.write(directory.resolve(name), text);
    }

    @BeforeEach
    void files() throws Exception {
        kwctl = new KwctlRunner(directory).with("KUBECONFIG", "");
        write("good.json", SamplePolicies.podRequest(false));
        write("junk.json", "{\"uid\": ");
        write("list.json", "[]");
        write("empty-review.json", "{\"kind\":\"AdmissionReview\"}");
        write(
                "incomplete.json",
                "{\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},\"resource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"}}");
        write("bad.yml", "a: [");
        write("pod.yml", "apiVersion: v1\nkind: Pod\n");
        write("v0.yml", "apiVersion: policies.kubewarden.io/v0\nkind: AdmissionPolicy\nspec: {module: x}\n");
        write("typo.yml", "apiVersion: policies.kubewarden.io/v1\nkind: AdmissionPolicy\nspec: {modul: x}\n");
        write("nospec.yml", "apiVersion: policies.kubewarden.io/v1\nkind: AdmissionPolicy\n");
        write(
                "context.yml",
                "apiVersion: policies.kubewarden.io/v1\nkind: AdmissionPolicy\nspec: {module: x, contextAwareResources: []}\n");
        write("nothing.yml", "apiVersion: v1\n");
        write("wrong.yml", "apiVersion: v1\nallOf: [{kind: githubAction}]\n");
        write("badca.yml", "source_authorities: {\"localhost:1\": [{type: Data, data: junk}]}\n");
        write("noca.yml", "source_authorities: {\"localhost:1\": [{type: Path, path: /no/such/ca.pem}]}\n");
        write("web.yml", "insecure_sources: [\"" + host() + "\"]\n");
        BrokenModules.writeInto(directory);
    }

    /**
     * @param words the arguments; {@code @web} is a web server, {@code @prefix} a common prefix of the digests of two
     *     stored policies
     */
    record Mistake(String name, List<String> words, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Mistake> catalogue() {
        var policy = SamplePolicies.PRIVILEGED_PODS;
        return List.of(
                // --- run
                new Mistake(
                        "unknown policy",
                        List.of("run", "nonsuch", "-r", "good.json"),
                        "Error: Cannot find policy with uri: nonsuch\n"),
                new Mistake(
                        "mistyped file",
                        List.of("run", "polcy.wasm", "-r", "good.json"),
                        "Cannot find policy with uri: polcy.wasm"),
                new Mistake("unknown scheme", List.of("run", "ftp://h/x", "-r", "good.json"), "nknown scheme: ftp"),
                new Mistake(
                        "file URL with a host",
                        List.of("run", "file://home/x", "-r", "good.json"),
                        "cannot convert URL to path"),
                new Mistake(
                        "missing file URL",
                        List.of("run", "file:///no/x.wasm", "-r", "good.json"),
                        "Error: cannot read metadata from path\n\nCaused by:\n    No such file or directory (os error 2)\n"),
                new Mistake(
                        "not wasm",
                        List.of("run", "good.json", "-r", "good.json"),
                        "cannot parse custom section of wasm module"),
                new Mistake(
                        "metadata of the wrong shape",
                        List.of("run", "odd.wasm", "-r", "good.json"),
                        "cannot deserialize custom section `io.kubewarden.metadata` of wasm module"),
                new Mistake(
                        "broken module",
                        List.of("run", "broken.wasm", "-r", "good.json"),
                        "error when building wasm module"),
                new Mistake(
                        "no waPC exports",
                        List.of("run", SamplePolicies.path("misbehaving/no-guest-call.wasm"), "-r", "good.json"),
                        "unable to rehydrate wapc module"),
                new Mistake(
                        "mode against the module",
                        List.of("run", "-e", "opa", policy, "-r", "good.json"),
                        "has not been created with Rego: the execution mode opa given is wrong"),
                new Mistake(
                        "mode against the metadata",
                        List.of("run", "-e", "wasi", policy, "-r", "good.json"),
                        "The execution mode wasi given contradicts the policy's metadata, which says kubewarden-wapc"),
                new Mistake(
                        "missing request",
                        List.of("run", policy, "-r", "no.json"),
                        "Error: Error opening request file no.json\n\nCaused by:\n    No such file or directory (os error 2)\n"),
                new Mistake("request is not JSON", List.of("run", policy, "-r", "junk.json"), "at line 1 column"),
                new Mistake(
                        "request is not an object",
                        List.of("run", policy, "-r", "list.json"),
                        "Invalid request object"),
                new Mistake(
                        "review without request",
                        List.of("run", policy, "-r", "empty-review.json"),
                        "invalid AdmissionReview object"),
                new Mistake(
                        "incomplete request",
                        List.of("run", policy, "-r", "incomplete.json"),
                        "cannot build AdmissionRequest object from given input: request: missing field `uid`"),
                new Mistake(
                        "missing settings",
                        List.of("run", policy, "-r", "good.json", "-s", "no.yml"),
                        "Cannot open settings file no.yml"),
                new Mistake(
                        "bad settings file",
                        List.of("run", policy, "-r", "good.json", "-s", "bad.yml"),
                        "Cannot parse settings file bad.yml"),
                new Mistake(
                        "bad settings JSON",
                        List.of("run", policy, "-r", "good.json", "--settings-json", "{"),
                        "Cannot parse settings JSON"),
                new Mistake(
                        "settings list",
                        List.of("run", policy, "-r", "good.json", "--settings-json", "[1]"),
                        "not an object"),
                new Mistake(
                        "bad capability pattern",
                        List.of("run", policy, "-r", "good.json", "--allowed-host-capabilities=oci"),
                        "Invalid host capabilities pattern"),
                new Mistake(
                        "unreadable sources",
                        List.of("run", policy, "-r", "good.json", "--sources-path", "no.yml"),
                        "Error: Error getting remote server options\n\nCaused by:\n    0: error while loading sources from "),
                new Mistake(
                        "unreadable trust root",
                        List.of("run", policy, "-r", "good.json", "--sigstore-trust-config", "no.json"),
                        "Error building Sigstore trust root: cannot read "),
                new Mistake(
                        "trust root that is no JSON",
                        List.of("run", policy, "-r", "good.json", "--sigstore-trust-config", "junk.json"),
                        "Error building Sigstore trust root: "),
                new Mistake(
                        "trust root without a root",
                        List.of("run", policy, "-r", "good.json", "--sigstore-trust-config", "incomplete.json"),
                        "Error building Sigstore trust root: "),
                new Mistake(
                        "matching without rules",
                        List.of("run", policy, "-r", "good.json", "--match"),
                        "--match needs a YAML file"),
                new Mistake(
                        "raw with YAML",
                        List.of("run", "p.yaml", "--raw", "-r", "good.json"),
                        "--raw option cannot be used with a YAML file"),
                new Mistake(
                        "missing YAML", List.of("run", "p.yaml", "-r", "good.json"), "Cannot open YAML file p.yaml"),
                new Mistake("bad YAML", List.of("run", "bad.yml", "-r", "good.json"), "Cannot parse YAML file"),
                new Mistake(
                        "other kinds only",
                        List.of("run", "pod.yml", "-r", "good.json"),
                        "unknown kind Pod, not a Kubewarden policy"),
                new Mistake("other version", List.of("run", "v0.yml", "-r", "good.json"), "invalid apiVersion"),
                new Mistake(
                        "unknown key of a spec",
                        List.of("run", "typo.yml", "-r", "good.json"),
                        "unknown field `modul`, did you mean `module`?"),
                new Mistake(
                        "context in a namespaced policy",
                        List.of("run", "context.yml", "-r", "good.json"),
                        "unknown field `contextAwareResources`"),
                new Mistake("spec missing", List.of("run", "nospec.yml", "-r", "good.json"), "missing field `spec`"),
                new Mistake(
                        "unknown host",
                        List.of("run", "registry://localhost:1/x:v1", "-r", "good.json"),
                        "localhost:1"),
                new Mistake(
                        "bad reference",
                        List.of("run", "registry://ghcr.io/UPPER:v1", "-r", "good.json"),
                        "Invalid OCI image reference: repository name must be lowercase"),
                // --- what is local
                new Mistake("inspect: unknown prefix", List.of("inspect", "0000"), "Cannot find policy with uri: 0000"),
                new Mistake(
                        "ambiguous prefix",
                        List.of("inspect", "@prefix"),
                        "multiple policies found with the same prefix: "),
                new Mistake(
                        "rm: not in the store",
                        List.of("rm", "registry://localhost:1/x:v1"),
                        "Error: Cannot find policy with uri: registry://localhost:1/x:v1\n"),
                new Mistake(
                        "save: not in the store",
                        List.of("save", "-o", "x.tgz", "registry://localhost:1/x:v1"),
                        "Error: cannot find policy registry://localhost:1/x:v1"),
                new Mistake("save: a file", List.of("save", "-o", "x.tgz", policy), "cannot save " + policy),
                new Mistake("load: no file", List.of("load", "--input", "none"), "cannot open file none"),
                new Mistake(
                        "load: no archive", List.of("load", "--input", "junk.json"), "cannot unpack file junk.json"),
                // --- modules
                new Mistake(
                        "metadata that is no JSON",
                        List.of("run", "nojson.wasm", "-r", "good.json"),
                        "cannot deserialize custom section `io.kubewarden.metadata` of wasm module"),
                new Mistake(
                        "metadata against the module",
                        List.of("run", "mode.wasm", "-r", "good.json"),
                        "has not been created with Rego: the execution mode opa in its metadata is wrong"),
                new Mistake(
                        "Rego without metadata",
                        List.of("run", "rego.wasm", "-r", "good.json"),
                        "please specify which Opa runtime has to be used"),
                new Mistake(
                        "too new a policy",
                        List.of("run", "new.wasm", "-r", "good.json"),
                        "Policy required Kubewarden version 99.0.0 or greater"),
                new Mistake(
                        "inspect: no metadata",
                        List.of("inspect", "empty.wasm"),
                        "No Kubewarden metadata found inside of 'empty.wasm'"),
                new Mistake(
                        "inspect: metadata that is no JSON",
                        List.of("inspect", "nojson.wasm"),
                        "cannot deserialize custom section `io.kubewarden.metadata` of wasm module"),
                new Mistake(
                        "inspect: no protocol version",
                        List.of("inspect", "noprotocol.wasm"),
                        "protocol_version not defined"),
                new Mistake(
                        "push: not annotated",
                        List.of("push", "empty.wasm", "localhost:1/x:v1"),
                        "Cannot push a policy that is not annotated"),
                new Mistake(
                        "push: Rego by force",
                        List.of("push", "--force", "rego.wasm", "localhost:1/x:v1"),
                        "Rego policies cannot be pushed without metadata"),
                new Mistake(
                        "annotate: no module",
                        List.of("annotate", "-m", "bad.yml", "-o", "x.wasm", "junk.json"),
                        "Error parsing wasm module"),
                new Mistake(
                        "annotate: no metadata file",
                        List.of("annotate", "-m", "no.yml", "-o", "x.wasm", policy),
                        "no.yml"),
                new Mistake(
                        "annotate: bad metadata",
                        List.of("annotate", "-m", "bad.yml", "-o", "x.wasm", policy),
                        "Error unmarshalling metadata"),
                new Mistake(
                        "annotate: no usage file",
                        List.of("annotate", "-u", "no.md", "-m", "bad.yml", "-o", "x.wasm", policy),
                        "cannot read usage file no.md"),
                // --- sessions
                new Mistake(
                        "missing session",
                        List.of("run", policy, "-r", "good.json", "--replay-host-capabilities-interactions", "no.yml"),
                        "cannot read session file"),
                new Mistake(
                        "broken session",
                        List.of("run", policy, "-r", "good.json", "--replay-host-capabilities-interactions", "bad.yml"),
                        "cannot parse session file"),
                new Mistake(
                        "no kubeconfig",
                        List.of("run", SamplePolicies.WASI, "-r", "good.json", "--allow-context-aware"),
                        "no kubeconfig found"),
                new Mistake(
                        "time limit",
                        List.of("run", policy, "-r", "good.json", "--timeout", "soon"),
                        "Cannot convert 'timeout'"),
                // --- signatures
                new Mistake(
                        "annotations without a key",
                        List.of("run", policy, "-r", "good.json", "-a", "x=y"),
                        "Intending to verify annotations, but no verification keys, OIDC issuer or GitHub owner were passed"),
                new Mistake(
                        "missing key",
                        List.of("run", policy, "-r", "good.json", "-k", "no.pub"),
                        "could not read file no.pub: No such file or directory"),
                new Mistake(
                        "nothing demanded",
                        List.of("verify", "localhost:1/x:v1"),
                        "could not retrieve sigstore options"),
                new Mistake(
                        "verification config without signatures",
                        List.of("verify", "--verification-config-path", "nothing.yml", "localhost:1/x:v1"),
                        "missing signatures in both"),
                new Mistake(
                        "verification config with a mistake",
                        List.of("verify", "--verification-config-path", "wrong.yml", "localhost:1/x:v1"),
                        "Not a valid configuration file: missing field "),
                // --- sources
                new Mistake(
                        "pull: missing sources",
                        List.of("pull", "--sources-path", "no.yml", "localhost:1/x:v1"),
                        "error while loading sources from "),
                new Mistake(
                        "CA that is none",
                        List.of("pull", "--sources-path", "badca.yml", "localhost:1/x:v1"),
                        "Raw certificate is not in PEM nor in DER encoding"),
                new Mistake(
                        "CA that is not there",
                        List.of("pull", "--sources-path", "noca.yml", "localhost:1/x:v1"),
                        "Cannot read certificate from file"),
                // --- registries and web servers
                new Mistake(
                        "nobody listens",
                        List.of("pull", "localhost:1/x:v1"),
                        "Error: Fail to interact with OCI registry: "),
                new Mistake(
                        "unknown name",
                        List.of("digest", "registry.invalid/x:v1"),
                        "Error: Fail to interact with OCI registry: "),
                new Mistake(
                        "bad reference for pull",
                        List.of("pull", "registry://localhost:1/UPPER:v1"),
                        "Invalid OCI image reference: "),
                new Mistake(
                        "not wasm",
                        List.of("pull", "--sources-path", "web.yml", "@web/page.wasm"),
                        "invalid wasm file"),
                new Mistake("not there", List.of("pull", "--sources-path", "web.yml", "@web/none.wasm"), "404"),
                new Mistake(
                        "nowhere to write",
                        List.of("pull", "--sources-path", "web.yml", "-o", "good.json/x.wasm", "@web/policy.wasm"),
                        "x.wasm"),
                // --- other commands
                new Mistake(
                        "bench: no number",
                        List.of("bench", policy, "-r", "good.json", "--num-samples", "many"),
                        "Cannot convert 'num-samples'"),
                new Mistake(
                        "bench: invalid settings",
                        List.of(
                                "bench",
                                SamplePolicies.RUN_AS_USER,
                                "-r",
                                "good.json",
                                "--settings-json",
                                "{\"runAsUser\":\"x\"}"),
                        "Error: [Policy policy-from-cli (" + SamplePolicies.RUN_AS_USER
                                + ")] - provided settings are not valid: "),
                new Mistake(
                        "manifest: bad title",
                        List.of("scaffold", "manifest", "-t", "AdmissionPolicy", "--title", "Bad_Title", policy),
                        "Invalid title 'Bad_Title'"),
                new Mistake(
                        "vap: missing file",
                        List.of("scaffold", "vap", "-p", "no.yml", "-b", "no.yml"),
                        "cannot open no.yml"),
                new Mistake(
                        "vap: other kinds",
                        List.of("scaffold", "vap", "-p", "pod.yml", "-b", "pod.yml"),
                        "cannot convert given data into a ValidatingAdmissionPolicy"),
                new Mistake("artifacthub: no metadata", List.of("scaffold", "artifacthub"), "metadata.yml"),
                new Mistake(
                        "request: object without a kind",
                        List.of("scaffold", "admission-request", "-o", "CREATE", "--object", "list.json"),
                        "no apiVersion or no kind"),
                new Mistake("test: nothing there", List.of("test", "none"), "No such file or directory"),
                new Mistake("docs: nowhere to write", List.of("docs", "-o", "no/such/x.md"), "cannot create file"),
                new Mistake("prune: no age", List.of("prune", "--older-than", "long"), "'long' is not an age"),
                new Mistake(
                        "login: no password",
                        List.of("login", "-u", "me", "--password-stdin", "localhost:1"),
                        "the password on standard input is empty"),
                new Mistake(
                        "logout: never logged in", List.of("logout", "localhost:1"), "not logged in to localhost:1"),
                new Mistake(
                        "copy: nobody listens",
                        List.of("copy", "localhost:1/x:v1", "localhost:1/y:v1"),
                        "Error: Fail to interact with OCI registry: "),
                new Mistake(
                        "validate-settings: invalid",
                        List.of(
                                "validate-settings",
                                "--settings-json",
                                "{\"runAsUser\":\"x\"}",
                                SamplePolicies.RUN_AS_USER),
                        "Error: Provided settings are not valid: "));
    }

    @ParameterizedTest
    @MethodSource("catalogue")
    void reportsMistakes(Mistake mistake) throws Exception {
        var words = mistake.words().stream()
                .map(word -> word.replace("@web", "http://" + host()))
                .toArray(String[]::new);
        if (mistake.words().contains("@prefix")) {
            words[words.length - 1] = storePoliciesWithACommonPrefix();
        }

        var result = kwctl.run(words);

        assertThat(result.err()).contains("Error: ").contains(mistake.message()).doesNotContain("\tat ");
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
    }

    /** Creates enough modules that two digests share a prefix. */
    private String storePoliciesWithACommonPrefix() throws Exception {
        var store = Files.createDirectories(kwctl.store().resolve("registry/localhost:1"));
        for (var i = 0; i < 17; i++) {
            Files.write(store.resolve("p:v" + i), BrokenModules.numbered(i));
        }
        var digests = kwctl.run("policies", "-o", "json")
                .out()
                .lines()
                .filter(line -> line.contains("sha256"))
                .map(line -> line.replaceAll(".*: \"|\",?", "").substring(0, 1))
                .toList();
        return digests.stream()
                .filter(first -> digests.indexOf(first) != digests.lastIndexOf(first))
                .findFirst()
                .orElseThrow();
    }
}
