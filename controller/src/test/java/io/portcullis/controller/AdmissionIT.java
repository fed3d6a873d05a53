package io.portcullis.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.StatusCause;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.NeedsTools;
import io.portcullis.testkit.tools.Tools;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rejected objects on a real API server that calls our webhooks: each row checks the field and the message for the
 * user.
 */
@Tag("level1")
@RealCluster
@NeedsTools("kubectl")
class AdmissionIT {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String RULE = """
            {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}""";
    private static final String POLICY = """
            {"module": "registry://example.com/policy:v1", "policyServer": "admission-it", "mutating": false,
             "settings": {}, "rules": [%s]}""".formatted(RULE);
    private static final String GROUP = """
            {"policyServer": "admission-it", "rules": [%s], "expression": "a() && b()", "message": "no",
             "policies": {"a": {"module": "registry://example.com/a:v1"}, "b": {"module": "registry://example.com/b:v1"}}}""".formatted(RULE);
    private static final String SERVER = """
            {"image": "example.com/policy-server:v1", "replicas": 1}""";

    @SuppressWarnings("NullAway") // set before any test
    private static RunningController controller;

    private final TestCluster cluster;

    AdmissionIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    static void start(TestCluster cluster) throws Exception {
        controller = RunningController.start(cluster, RunningController.settings(cluster, true, Optional.empty()));
    }

    @AfterAll
    static void stop() {
        controller.close();
    }

    // --- test objects ------------------------------------------------------------------------------------------------

    private GenericKubernetesResource object(String kind, String name, String change) throws Exception {
        var base = kind.equals("PolicyServer") ? SERVER : kind.endsWith("Group") ? GROUP : POLICY;
        var spec = (ObjectNode) JSON.readTree(base);
        merge(spec, JSON.readTree(change));
        var metadata = new java.util.HashMap<String, Object>(Map.of("name", name));
        if (kind.equals("AdmissionPolicy") || kind.equals("AdmissionPolicyGroup")) {
            metadata.put("namespace", "default");
        }
        return Serialization.unmarshal(
                JSON.writeValueAsString(Map.of(
                        "apiVersion", "policies.kubewarden.io/v1", "kind", kind, "metadata", metadata, "spec", spec)),
                GenericKubernetesResource.class);
    }

    /** Merges like {@code kubectl patch --type merge}, except that an empty object replaces the value. */
    private static void merge(ObjectNode target, JsonNode change) {
        change.properties().forEach(entry -> {
            if (entry.getValue().isNull()) {
                target.remove(entry.getKey());
            } else if (entry.getValue() instanceof ObjectNode nested
                    && !nested.isEmpty()
                    && target.get(entry.getKey()) instanceof ObjectNode existing) {
                merge(existing, nested);
            } else {
                target.set(entry.getKey(), entry.getValue());
            }
        });
    }

    private static List<String> refusalCauses(Runnable attempt) {
        var refused = catchThrowableOfType(KubernetesClientException.class, attempt::run);
        for (int i = 0; i < 10 && refused != null && refused.getCode() == 409; i++) {
            // Conflict: the controller has written in between.
            refused = catchThrowableOfType(KubernetesClientException.class, attempt::run);
        }
        assertThat(refused).as("the request should have been rejected").isNotNull();
        assertThat(refused.getCode()).as(refused.getMessage()).isEqualTo(422);
        return refused.getStatus().getDetails().getCauses().stream()
                .map(AdmissionIT::text)
                .toList();
    }

    private static String text(StatusCause cause) {
        return cause.getField() + ": " + cause.getMessage();
    }

    private KubernetesClient admin() {
        return cluster.client();
    }

    // --- the tables --------------------------------------------------------------------------------------------------

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.portcullis.controller.AdmissionRows#policies")
    void rejectsPolicies(String name, String kind, String change, List<String> expected) throws Exception {
        var policy = object(kind, "refused", change);

        assertThat(refusalCauses(() -> admin().resource(policy).create())).containsAll(expected);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.portcullis.controller.AdmissionRows#groups")
    void rejectsGroups(String name, String kind, String change, List<String> expected) throws Exception {
        var policy = object(kind, "refused", change);

        assertThat(refusalCauses(() -> admin().resource(policy).create())).containsAll(expected);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.portcullis.controller.AdmissionRows#servers")
    void rejectsPolicyServers(String name, String kind, String change, List<String> expected) throws Exception {
        cluster.apply(new SecretBuilder()
                .withNewMetadata()
                .withName("opaque")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .build());
        cluster.apply(new ConfigMapBuilder()
                .withNewMetadata()
                .withName("empty")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .build());
        var server = object(kind, "refused", change);

        assertThat(refusalCauses(() -> admin().resource(server).create())).containsAll(expected);
    }

    // --- single rules ------------------------------------------------------------------------------------------------

    @Test
    void reportsTheKindTheNameAndEveryField() throws Exception {
        var policy = object(
                "ClusterAdmissionPolicy", "unclear", AdmissionRows.rule("[\"\"]", "[\"\"]", "[\"\"]", "[\"CREATE\"]"));

        var refused = catchThrowableOfType(
                KubernetesClientException.class, () -> admin().resource(policy).create());

        assertThat(refused.getMessage())
                .contains("admission webhook \"vclusteradmissionpolicy.kb.io\" denied the request: "
                        + "ClusterAdmissionPolicy.policies.kubewarden.io \"unclear\" is invalid: "
                        + "[spec.rules.rule.apiVersions[0]: Required value: must be non-empty, "
                        + "spec.rules.rule.resources[0]: Required value: must be non-empty]");
        assertThat(refused.getStatus().getReason()).isEqualTo("Invalid");
        assertThat(refused.getStatus().getDetails().getKind()).isEqualTo("ClusterAdmissionPolicy");
        assertThat(refused.getStatus().getDetails().getGroup()).isEqualTo("policies.kubewarden.io");
    }

    @Test
    void validatesExpressionsByTheApiServer() throws Exception {
        var unknown = object(
                "ClusterAdmissionPolicy",
                "refused",
                "{\"matchConditions\": [{\"name\": \"c\", \"expression\": \"objekt.metadata.name == 'a'\"}]}");
        var notBoolean = object(
                "ClusterAdmissionPolicy",
                "refused",
                "{\"matchConditions\": [{\"name\": \"c\", \"expression\": \"request.name\"}]}");
        var badName = object(
                "AdmissionPolicy",
                "refused",
                "{\"matchConditions\": [{\"name\": \"not a name\", \"expression\": \"true\"}]}");

        assertThat(refusalCauses(() -> admin().resource(unknown).create()))
                .singleElement()
                .asString()
                .startsWith("spec.matchConditions[0].expression: Invalid value")
                .contains("undeclared reference to 'objekt'");
        assertThat(refusalCauses(() -> admin().resource(notBoolean).create()))
                .singleElement()
                .asString()
                .startsWith("spec.matchConditions[0].expression: Invalid value")
                .contains("must evaluate to bool");
        assertThat(refusalCauses(() -> admin().resource(badName).create()))
                .singleElement()
                .asString()
                .startsWith("spec.matchConditions[0]: Invalid value: \"not a name\"");
    }

    @Test
    void reportsErrorsOfTheApiServerWithFieldsOfThePolicy() throws Exception {
        var selector = object(
                "ClusterAdmissionPolicy",
                "refused",
                "{\"objectSelector\": {\"matchExpressions\": [{\"key\": \"a b\", \"operator\": \"Exists\"}]}}");

        assertThat(refusalCauses(() -> admin().resource(selector).create()))
                .singleElement()
                .asString()
                .startsWith("spec.objectSelector.matchExpressions[0].key: Invalid value");
    }

    @Test
    void rejectsNamesThatAreTooLong() throws Exception {
        var longest = "p".repeat(232 - "kw.cap.".length());
        var fits = object("ClusterAdmissionPolicy", longest, "{}");
        var tooLong = object("ClusterAdmissionPolicy", longest + "p", "{}");
        var server = object("PolicyServer", "s".repeat(50), "{}");

        cluster.apply(fits);
        assertThat(refusalCauses(() -> admin().resource(tooLong).create()))
                .singleElement()
                .asString()
                .startsWith("metadata.name: Invalid value: ")
                .endsWith("has more than 232 characters");
        assertThat(refusalCauses(() -> admin().resource(server).create()))
                .containsExactly("metadata.name: Invalid value: \"" + "s".repeat(50)
                        + "\": the PolicyServer name cannot be longer than 49 characters");
    }

    @Test
    void addsAFinalizerToPolicyServersButNotToPolicies() throws Exception {
        cluster.apply(object("PolicyServer", "with-finalizer", "{}"));
        cluster.apply(object("ClusterAdmissionPolicy", "without-finalizer", "{\"policyServer\": \"\"}"));

        var server = admin().resources(PolicyServer.class).withName("with-finalizer");
        assertThat(server.get().getFinalizers()).containsExactly("kubewarden.io/finalizer");
        var policy = admin().resources(ClusterAdmissionPolicy.class)
                .withName("without-finalizer")
                .get();
        assertThat(policy.getFinalizers()).isEmpty();
        assertThat(policy.getSpec().get("policyServer").asText()).isEmpty();

        server.delete();
        // A patch instead of an edit, because the controller writes the status in between.
        server.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\": {\"finalizers\": null}}");
        assertThat(server.get())
                .as("an object that is being deleted can lose its finalizer and gets no new one")
                .isNull();
    }

    @Test
    void onlyUsersWhoMayDeleteAPolicyMayChangeItsServer() throws Exception {
        grant("editor", "get", "update", "patch");
        grant("owner", "get", "update", "patch", "delete");
        cluster.apply(object("ClusterAdmissionPolicy", "moved", "{\"policyServer\": \"x\"}"));
        try (var editor = RunningController.as(cluster, "editor");
                var owner = RunningController.as(cluster, "owner")) {
            assertThat(refusalCauses(() -> move(editor, "y")))
                    .containsExactly(
                            "spec.policyServer: Forbidden: the field is immutable for users that cannot delete the policy");
            assertThat(refusalCauses(() -> move(editor, ""))).hasSize(1);

            move(owner, "y");
            move(owner, "");
            move(editor, "z");
            move(editor, "z");
        }
    }

    private static void move(KubernetesClient user, String policyServer) {
        user.resources(ClusterAdmissionPolicy.class)
                .withName("moved")
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"spec\": {\"policyServer\": \"" + policyServer + "\"}}");
    }

    private void grant(String user, String... verbs) {
        var name = cluster.namespace() + "-" + user;
        cluster.apply(new ClusterRoleBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withRules(new PolicyRuleBuilder()
                        .withApiGroups("policies.kubewarden.io")
                        .withResources("clusteradmissionpolicies")
                        .withVerbs(verbs)
                        .build())
                .build());
        cluster.apply(new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", name)
                .addNewSubject("rbac.authorization.k8s.io", "User", user, null)
                .build());
    }

    @Test
    void rejectsAnUpdateFromProtectToMonitor() throws Exception {
        cluster.apply(object("AdmissionPolicy", "protecting", "{\"mode\": \"protect\"}"));
        var policy =
                admin().resources(AdmissionPolicy.class).inNamespace("default").withName("protecting");

        assertThat(refusalCauses(() -> policy.edit(object -> {
                    object.getSpec().put("mode", "monitor");
                    return object;
                })))
                .containsExactly(
                        "spec.mode: Forbidden: field cannot transition from protect to monitor. Recreate instead. (Without a gap:"
                                + " create the policy under another name with mode monitor, wait until it is active, then run:"
                                + " kubectl delete admissionpolicies protecting --namespace default)");
    }

    @Test
    void validatesRollbackRequests() throws Exception {
        cluster.apply(object("ClusterAdmissionPolicy", "rolled", "{}"));
        var policy = admin().resources(ClusterAdmissionPolicy.class).withName("rolled");

        assertThat(refusalCauses(() -> annotate(policy, "7")))
                .containsExactly(
                        "metadata.annotations[kubewarden.io/rollback-to]: Invalid value: \"7\": cannot roll back: no revision of generation 7 is kept; no generation is kept");
        assertThat(refusalCauses(() -> annotate(policy, "yesterday")))
                .singleElement()
                .asString()
                .contains("is neither a generation nor \"previous\"");
    }

    private static void annotate(
            io.fabric8.kubernetes.client.dsl.Resource<ClusterAdmissionPolicy> policy, String rollback) {
        policy.patch(
                PatchContext.of(PatchType.JSON_MERGE),
                "{\"metadata\": {\"annotations\": {\"kubewarden.io/rollback-to\": \"" + rollback + "\"}}}");
    }

    @Test
    void onlyTheControllerMayChangeRevisions() throws Exception {
        cluster.apply(object("ClusterAdmissionPolicy", "frozen", "{\"policyServer\": \"\"}"));
        var policy = admin().resources(ClusterAdmissionPolicy.class)
                .withName("frozen")
                .get();
        var revision = new DesiredRevision(IdentityScheme.DOTTED, cluster.namespace()).of(policy);
        var managedByController =
                "spec: Forbidden: PolicyRevisions are managed by the controller; change the policy instead";

        assertThat(refusalCauses(() -> admin().resource(revision).create())).containsExactly(managedByController);
        try (var asController = RunningController.as(cluster, RunningController.userOf(cluster))) {
            var created = asController.resource(revision).create();
            var stored = admin().resources(PolicyRevision.class)
                    .inNamespace(cluster.namespace())
                    .withName(created.getMetadata().getName());
            assertThat(refusalCauses(stored::delete)).containsExactly(managedByController);
            assertThat(refusalCauses(() -> stored.edit(object -> {
                        object.getMetadata().setLabels(Map.of());
                        return object;
                    })))
                    .containsExactly(managedByController);

            var changed = asController
                    .resource(created)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"enabled\": false}}");
            assertThat(changed.getSpec().enabled()).isFalse();
            created.getSpec().data().putObject("spec").put("module", "another");
            created.getMetadata().setResourceVersion(null); // the controller may have written in between
            assertThat(refusalCauses(() -> asController.resource(created).update()))
                    .containsExactly("spec: Forbidden: only enabled and active may change");
            asController.resource(revision).delete();
        }
    }

    @Test
    void rejectsDeletionOfTheDefaultServerWhenConfigured() throws Exception {
        cluster.apply(object("PolicyServer", "default", "{}"));
        cluster.apply(object("PolicyServer", "leaving", "{}"));

        assertThat(refusalCauses(() -> admin().resources(PolicyServer.class)
                        .withName("default")
                        .delete()))
                .containsExactly("metadata.name: Forbidden: the default PolicyServer cannot be deleted");
        admin().resources(PolicyServer.class).withName("leaving").delete();

        assertThat(admin().resources(PolicyServer.class)
                        .withName("leaving")
                        .get()
                        .isMarkedForDeletion())
                .isTrue();
    }

    // --- warnings, as kubectl prints them ----------------------------------------------------------------------------

    private String warnings(String... words) {
        var all = new ArrayList<>(List.of(
                Tools.current().path("kubectl").toString(),
                "--kubeconfig",
                cluster.local().kubeconfig().toString()));
        all.addAll(List.of(words));
        var outcome = ShellCommand.of(all).attempt();
        assertThat(outcome.succeeded()).as(outcome.errors()).isTrue();
        return outcome.errors();
    }

    @Test
    void warnsAboutAPolicyThatNeverActs(@TempDir Path directory) throws Exception {
        var policy = object("AdmissionPolicy", "inside", "{}");
        policy.getMetadata().setNamespace(cluster.namespace());
        var file = Files.writeString(directory.resolve("policy.json"), Serialization.asJson(policy));

        assertThat(warnings("create", "--dry-run=server", "-f", file.toString()))
                .contains("Warning: policy servers accept every request of namespace " + cluster.namespace()
                        + ", so this policy will not act");
    }

    @Test
    void doesNotWarnWhenAPolicyIsDeleted() throws Exception {
        cluster.apply(object("ClusterAdmissionPolicy", "doomed", "{}"));

        assertThat(warnings("delete", "clusteradmissionpolicy", "doomed", "--warnings-as-errors"))
                .isEmpty();
    }

    @Test
    void warnsAboutLostEnforcementWhenAServerIsDeletedOrScaledToZero() throws Exception {
        cluster.apply(object("PolicyServer", "popular", "{}"));
        cluster.apply(object("ClusterAdmissionPolicy", "one", "{\"policyServer\": \"popular\"}"));
        cluster.apply(object("AdmissionPolicy", "two", "{\"policyServer\": \"popular\"}"));
        cluster.apply(object("AdmissionPolicy", "three", "{\"policyServer\": \"popular\", \"mode\": \"monitor\"}"));

        // The controller observes policies by watch.
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(
                                warnings("delete", "policyserver", "popular", "--wait=false", "--dry-run=server"))
                        .contains("Warning: ")
                        .contains("2 policies in protect mode lose their enforcement with PolicyServer popular"));
        var stops = "2 policies in protect mode stop being enforced while PolicyServer popular has no replicas: "
                + "default/two, one";
        assertThat(warnings("scale", "policyserver", "popular", "--replicas=0", "--dry-run=server"))
                .contains(stops);
        assertThat(warnings(
                        "patch",
                        "policyserver",
                        "popular",
                        "--type=merge",
                        "--dry-run=server",
                        "-p",
                        "{\"spec\": {\"replicas\": 0}}"))
                .contains(stops);
    }

    @Test
    void onlyWarnsAboutBadReferencesOfAnExistingServer() throws Exception {
        cluster.apply(object("PolicyServer", "existing", "{}"));

        assertThat(warnings(
                        "patch",
                        "policyserver",
                        "existing",
                        "--type=merge",
                        "-p",
                        "{\"spec\": {\"verificationConfig\": \"nope\"}}"))
                .contains("Warning: spec.verificationConfig: cannot get spec.verificationConfig ConfigMap");
    }

    // --- other requests ----------------------------------------------------------------------------------------------

    @Test
    void validatesTheOldApiVersionTheSameWay() throws Exception {
        var policy = object("ClusterAdmissionPolicy", "refused", "{\"rules\": []}");
        policy.setApiVersion("policies.kubewarden.io/v1alpha2");

        assertThat(refusalCauses(() -> admin().resource(policy).create()))
                .contains("spec.rules: " + AdmissionRows.VALUE);
    }

    @Test
    void admitsARollbackToAKeptRevision() throws Exception {
        cluster.apply(object("ClusterAdmissionPolicy", "returning", "{\"policyServer\": \"\"}"));
        var policy = admin().resources(ClusterAdmissionPolicy.class).withName("returning");
        var revision = new DesiredRevision(IdentityScheme.DOTTED, cluster.namespace()).of(policy.get());
        try (var asController = RunningController.as(cluster, RunningController.userOf(cluster))) {
            asController.resource(revision).create();
            policy.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"message\": \"second\"}}");

            // The controller observes the revision by watch.
            await().atMost(Duration.ofSeconds(20))
                    .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                    .untilAsserted(() -> annotate(policy, "1"));
            asController.resource(revision).delete();
        }
    }

    @Test
    void rejectsRevisionsOutsideTheControllersNamespace() throws Exception {
        cluster.apply(object("ClusterAdmissionPolicy", "elsewhere", "{\"policyServer\": \"\"}"));
        var policy = admin().resources(ClusterAdmissionPolicy.class)
                .withName("elsewhere")
                .get();
        var revision = new DesiredRevision(IdentityScheme.DOTTED, "default").of(policy);

        try (var asController = RunningController.as(cluster, RunningController.userOf(cluster))) {
            assertThat(refusalCauses(() -> asController.resource(revision).create()))
                    .singleElement()
                    .asString()
                    .startsWith("metadata.namespace: ");
        }
    }

    @Test
    void rejectsRenamingAPolicyServer() throws Exception {
        cluster.apply(object("PolicyServer", "named", "{}"));

        var refused = catchThrowableOfType(
                KubernetesClientException.class,
                () -> admin().resources(PolicyServer.class)
                        .withName("named")
                        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\": {\"name\": \"renamed\"}}"));

        assertThat(refused.getCode()).isEqualTo(400);
        assertThat(refused.getMessage()).contains("does not match the name on the URL");
    }

    // --- invalid reviews ---------------------------------------------------------------------------------------------

    static Stream<Arguments> invalidRequests() {
        var path = "/validate-policies-kubewarden-io-v1-policyserver";
        var json = "application/json";
        return Stream.of(
                arguments("no such path", "POST", "/validate-policies-kubewarden-io-v1-pod", json, "{}", 404),
                arguments("the root", "POST", "/", json, "{}", 404),
                arguments("a path with dots", "POST", "/.." + path + "/..", json, "{}", 404),
                arguments("another method", "GET", path, json, "", 405),
                arguments("no JSON by its type", "POST", path, "text/plain", "{}", 415),
                arguments("no body", "POST", path, json, "", 400),
                arguments("garbage", "POST", path, json, "\u0000\u0001{{{", 400),
                arguments("no object", "POST", path, json, "[]", 400),
                arguments("another kind", "POST", path, json, "{\"kind\": \"Pod\", \"apiVersion\": \"v1\"}", 400),
                arguments("no request", "POST", path, json, review(""), 400),
                arguments(
                        "no object to create",
                        "POST",
                        path,
                        json,
                        review("\"request\": {\"uid\": \"1\", \"operation\": \"CREATE\"}"),
                        400),
                arguments("very deep", "POST", path, json, "[".repeat(100_000), 400),
                arguments("huge", "POST", path, json, " ".repeat((8 << 20) + 1), 413));
    }

    private static String review(String rest) {
        return "{\"kind\": \"AdmissionReview\", \"apiVersion\": \"admission.k8s.io/v1\""
                + (rest.isEmpty() ? "" : ", " + rest) + "}";
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("invalidRequests")
    void answersInvalidRequestsAndStaysReady(
            String name, String method, String path, String type, String body, int status) throws Exception {
        try (var http = RunningController.webhookClient(cluster, Optional.empty())) {
            var answer = http.send(
                    HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + controller.webhookPort() + path))
                            .header("Content-Type", type)
                            .timeout(Duration.ofSeconds(20))
                            .method(method, BodyPublishers.ofString(body))
                            .build(),
                    BodyHandlers.ofString());

            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
            assertThat(answer.body()).doesNotContain("Exception", "at io.portcullis");
        }
        assertThat(controller.health("/readyz")).isEqualTo(200);
    }

    @Test
    void closesConnectionsThatAreNotTls() throws Exception {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), controller.webhookPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            var answer = socket.getInputStream().readNBytes(4096);

            assertThat(new String(answer, StandardCharsets.ISO_8859_1)).doesNotContain("HTTP/");
        }
        assertThat(controller.health("/readyz")).isEqualTo(200);
    }
}
