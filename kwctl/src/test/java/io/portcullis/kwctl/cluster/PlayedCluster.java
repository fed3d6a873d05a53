package io.portcullis.kwctl.cluster;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A real API server and the real program. The test takes the role of the controller and writes status. */
record PlayedCluster(TestCluster cluster, Path directory) {

    static final String LAUNCHER =
            Path.of("..", "dist", "bin", "kwctl").toAbsolutePath().normalize().toString();

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    KubernetesClient client() {
        return cluster.client();
    }

    String namespace() {
        return cluster.namespace();
    }

    ShellCommand.Outcome kwctl(String... words) {
        return kwctlAs(cluster.local().kubeconfig(), words);
    }

    ShellCommand.Outcome kwctlAs(Path kubeconfig, String... words) {
        var line = new ArrayList<>(List.of(LAUNCHER));
        line.addAll(List.of(words));
        return ShellCommand.of(line)
                .with("KUBECONFIG", kubeconfig.toString())
                .with("RUST_BACKTRACE", "0")
                .with("XDG_CACHE_HOME", directory.resolve("cache").toString())
                .with("XDG_CONFIG_HOME", directory.resolve("config").toString())
                .attempt();
    }

    Resource<AdmissionPolicy> policy(String name) {
        return client().resources(AdmissionPolicy.class)
                .inNamespace(namespace())
                .withName(name);
    }

    AdmissionPolicy create(String name) {
        var policy = Samples.read("""
                kind: AdmissionPolicy
                metadata: {name: %s, namespace: %s}
                spec:
                  module: registry://example.org/p:v1
                  mutating: false
                  settings: {round: 1}
                  rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
                """.formatted(name, namespace()), AdmissionPolicy.class);
        return client().resource(policy).create();
    }

    /** Creates a new generation. */
    AdmissionPolicy edit(String name, int round) {
        return policy(name).patch(MERGE, "{\"spec\":{\"settings\":{\"round\":" + round + "}}}");
    }

    /** Writes the status of a generation as a controller would, with the conditions in YAML. */
    void report(String name, String phase, long generation, long active, String... conditions) {
        var status = JsonNodeFactory.instance
                .objectNode()
                .put("policyStatus", phase.equals("Active") ? "active" : "pending")
                .put("phase", phase)
                .put("mode", "protect")
                .put("observedGeneration", generation)
                .put("activeGeneration", active);
        var list = status.putArray("conditions");
        for (var condition : conditions) {
            list.add(((ObjectNode) YamlDocuments.parse(condition)).put("lastTransitionTime", "2026-11-15T00:00:00Z"));
        }
        policy(name).subresource("status").patch(MERGE, "{\"status\":" + status + "}");
    }

    static String whole(String type, String status, String reason, String message, long generation) {
        return "{type: %s, generation: 0, replica: -1, status: \"%s\", reason: %s, message: \"%s\", observedGeneration: %d}"
                .formatted(type, status, reason, message, generation);
    }

    static String enforced(long generation) {
        return whole("Enforced", "True", "Enforced", "AdmissionPolicy has been successfully enforced", generation);
    }

    /** Creates a retained revision, as the controller does. */
    void keepRevision(AdmissionPolicy policy, long generation, boolean active) {
        var revision = Samples.read(
                """
                kind: PolicyRevision
                metadata:
                  name: %1$s-%2$d
                  namespace: %3$s
                  labels: {kubewarden.io/policy-uid: "%4$s"}
                spec:
                  objectReference: {apiVersion: v1, kind: AdmissionPolicy, namespace: %3$s, name: %1$s, uid: "%4$s"}
                  policyGeneration: %2$d
                  policyID: kw.ap.%3$s.%1$s
                  enabled: %5$s
                  active: %5$s
                  dataHash: "sha256:%6$s"
                  data: {spec: {module: m}}
                """.formatted(
                                policy.getMetadata().getName(),
                                generation,
                                namespace(),
                                policy.getMetadata().getUid(),
                                active,
                                "0".repeat(64)),
                PolicyRevision.class);
        client().resource(revision).create();
        client().resource(revision).subresource("status").patch(MERGE, """
                {"status": {"activatedAt": "2026-11-15T00:00:00Z",
                  "artifacts": [{"module": "m", "digest": "sha256:%s", "size": 7}]}}""".formatted("ab".repeat(32)));
    }

    /** Creates a kubeconfig for a service account of the namespace. */
    Path kubeconfigOf(String account) throws IOException {
        var request = new TokenRequest();
        var token = client().serviceAccounts()
                .inNamespace(namespace())
                .withName(account)
                .tokenRequest(request);
        var admin = MAPPER.valueToTree(
                YamlDocuments.parse(Files.readString(cluster.local().kubeconfig())));
        var shown =
                JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "Config");
        shown.put("current-context", "tenant").set("clusters", admin.path("clusters"));
        shown.putArray("users")
                .addObject()
                .put("name", "tenant")
                .putObject("user")
                .put("token", token.getStatus().getToken());
        shown.putArray("contexts")
                .addObject()
                .put("name", "tenant")
                .putObject("context")
                .put("cluster", admin.path("clusters").path(0).path("name").asText())
                .put("user", "tenant")
                .put("namespace", namespace());
        return Files.writeString(directory.resolve("tenant-kubeconfig"), shown.toString());
    }
}
