package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.hostpods.HostPod;
import io.portcullis.testkit.tools.NeedsTools;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What happens to replicas and to what they stand on, and what of it users notice. Two replicas with a shared cache. */
@Tag("level1")
@NeedsTools({"registry", "helm"})
@RealCluster(level = Level.API)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
class ReplicaFaultsIT {

    private static final String SERVER = "shared";
    private static final String POLICY = "faults";
    private static final String NEIGHBOUR = "neighbour";
    private static final String OTHER_POLICY = "faults-of-the-neighbour";
    private static final String WATCHED = "faults-watched";

    private TestCluster cluster;
    private Stage stage;
    private Path directory;

    @BeforeAll
    void install(TestCluster testCluster, @TempDir Path temporary) {
        cluster = testCluster;
        directory = temporary;
        stage = Stage.open(cluster, directory, WATCHED, "webhookDrainSeconds=10", "replicaGraceSeconds=20");
        var server = Policies.server(SERVER, 2, stage.installation().registry().host());
        server.getSpec().putObject("cache").put("mode", "Shared").put("claimName", "modules");
        stage.startServer(server);
    }

    @AfterEach
    void removePolicy() {
        stage.remove(POLICY);
    }

    @AfterAll
    void uninstall() {
        stage.removeServers(SERVER);
        stage.close();
    }

    /** A new policy's leader has begun, waits for the registry, and something happens to it. */
    private PolicyRevision beginInitialising(String module, Consumer<HostPod> fault) {
        var registry = stage.installation().registry().program();
        registry.pause();
        try {
            stage.create(POLICY, SERVER, module, "first");
            var policy = stage.awaitPolicy(POLICY, one -> says(Stage.status(one).conditions(), "PolicyScheduled"));
            var begun = stage.revision(policy, 1);
            fault.accept(pod(begun));
            return begun;
        } finally {
            registry.resume();
        }
    }

    @Test
    void aLeaderThatDiesWhileItInitialisesIsSucceeded() {
        var begun = beginInitialising(stage.installation().pushVariant("privileged-pods", "slow", 1), HostPod::hold);
        var leader = pod(begun);
        // The other replica waits until the lease has run out, then does the work from the beginning.
        await().atMost(Stage.LIMIT)
                .until(() -> says(stage.revision(stage.policies().get(POLICY).get(), 1), "PolicyInitialized"));
        leader.release();

        var done = stage.revision(stage.awaitEnforced(POLICY, 1), 1);
        assertThat(term(done)).isEqualTo(term(begun) + 1);
        assertThat(pod(done).name()).isNotEqualTo(leader.name());
        assertThat(conditions(done))
                .containsExactlyInAnyOrder(
                        "Scheduled-1=PolicyScheduled",
                        "Initialized-1=PolicyInitialized",
                        "Ready0=PolicyReady",
                        "Ready1=PolicyReady");
    }

    @Test
    void theLateWordOfALeaderThatWasPausedReplacesNothing() {
        var before = stage.restarts(SERVER);
        var begun = beginInitialising(stage.installation().pushVariant("privileged-pods", "paused", 2), HostPod::pause);
        var leader = pod(begun);
        PolicyRevision done;
        try {
            await().atMost(Stage.LIMIT)
                    .until(() ->
                            says(stage.revision(stage.policies().get(POLICY).get(), 1), "PolicyInitialized"));
            done = stage.revision(stage.policies().get(POLICY).get(), 1);
        } finally {
            // In the middle of its work, for which it has bytes and time again.
            leader.resume();
        }

        var after = stage.revision(stage.awaitEnforced(POLICY, 1), 1);
        assertThat(stage.restarts(SERVER)).isEqualTo(before);
        assertThat(term(done)).isEqualTo(term(begun) + 1);
        assertThat(status(after).leader()).isEqualTo(status(done).leader());
        assertThat(status(after).artifacts()).isEqualTo(status(done).artifacts());
        assertThat(wordOfLeader(after)).isEqualTo(wordOfLeader(done));
    }

    @Test
    void aReplicaThatWasPausedWhileAPolicyMovedOnLosesNoRequestWhenItIsBack() throws InterruptedException {
        stage.create(POLICY, SERVER, "first");
        var before = stage.restarts(SERVER);
        var late = other(pod(stage.revision(stage.awaitEnforced(POLICY, 1), 1)));
        late.pause();
        Load load;
        try {
            await().atMost(Stage.LIMIT).until(() -> !late.isReady());
            stage.policies().edit(POLICY, spec -> spec.put("message", "second"));
            await().atMost(Stage.LIMIT).until(() -> stage.webhookPath(POLICY).endsWith("/2"));
            load = Load.start(stage.requests(), 10);
        } finally {
            late.resume();
        }

        stage.awaitEnforced(POLICY, 2);

        assertThat(load.finish()).isEmpty();
        assertThat(stage.restarts(SERVER)).isEqualTo(before);
    }

    @Test
    void aBrokenNewGenerationDoesNotKeepARestartedReplicaFromServingTheOldOne() {
        stage.create(POLICY, SERVER, "first");
        stage.awaitEnforced(POLICY, 1);
        breakSettings();
        stage.awaitPolicy(POLICY, policy -> Stage.status(policy).phase() == Phase.FAILED);
        var before = stage.restarts(SERVER);

        for (var pod : stage.pods(SERVER)) {
            pod.kill();
            await().atMost(Stage.LIMIT).until(() -> !pod.isReady());
            await().atMost(Stage.LIMIT).until(pod::isReady);
        }

        assertThat(stage.restarts(SERVER)).isEqualTo(before + 2);
        assertThat(stage.requests().privilegedPod()).isInstanceOf(Answer.Denied.class);
        assertThat(stage.webhookPath(POLICY)).endsWith("/1");
        assertThat(conditions(stage.revision(stage.policies().get(POLICY).get(), 2)))
                .contains("Initialized-1=InvalidSettings")
                .doesNotContain("Ready0=PolicyReady", "Ready1=PolicyReady");
    }

    @Test
    void settingsThatThePolicyRefusesAreReportedAndNothingIsEnforcedYet() {
        var before = stage.restarts(SERVER);
        var policy = Policies.privilegedPods(POLICY, SERVER, stage.module(), "first", WATCHED);
        policy.getSpec().putObject("settings").put("no_such_setting", true);
        stage.client().resource(policy).create();

        var failed = stage.awaitPolicy(POLICY, one -> Stage.status(one).phase() == Phase.FAILED);

        assertThat(Stage.status(failed).condition(ConditionType.ACCEPTED))
                .hasValueSatisfying(accepted -> assertThat(accepted.reason()).isEqualTo("Invalid"));
        assertThat(stage.webhook("kw.cap." + POLICY)).isNull();
        assertThat(failed.getMetadata().getFinalizers()).isNullOrEmpty();
        assertThat(stage.requests().privilegedPod()).isEqualTo(new Answer.Allowed());
        assertThat(stage.restarts(SERVER)).isEqualTo(before);
    }

    @Test
    void newSettingsDoNotWaitForTheRegistry() {
        stage.create(POLICY, SERVER, "first");
        stage.awaitEnforced(POLICY, 1);
        var registry = stage.installation().registry().program();
        registry.pause();
        try {
            stage.policies().edit(POLICY, spec -> spec.putObject("settings").put("skip_init_containers", true));
            stage.awaitEnforced(POLICY, 2);
        } finally {
            registry.resume();
        }
        assertThat(stage.requests().privilegedPod()).isInstanceOf(Answer.Denied.class);
    }

    @Test
    void aRollbackBringsBackTheBytesThatATagStoodForThen() {
        var latest = stage.installation().pushVariant("privileged-pods", "latest", 10);
        stage.create(POLICY, SERVER, latest, "first");
        var first = digest(stage.awaitEnforced(POLICY, 1), 1);
        stage.installation().pushVariant("privileged-pods", "latest", 11);
        stage.policies().edit(POLICY, spec -> spec.put("message", "second"));
        var second = digest(stage.awaitEnforced(POLICY, 2), 2);
        assertThat(second).isNotEqualTo(first);

        stage.policies().rollBack(POLICY, "previous");

        assertThat(digest(stage.awaitEnforced(POLICY, 3), 3)).isEqualTo(first);
    }

    @Test
    void reportsAndRebuildsAChangedCache() throws IOException {
        stage.create(POLICY, SERVER, "first");
        stage.awaitEnforced(POLICY, 1);
        tamper();

        var pod = stage.pods(SERVER).getLast();
        pod.kill();
        await().atMost(Stage.LIMIT).until(() -> !pod.isReady());
        stage.awaitReady(SERVER, 2);

        stage.awaitEnforced(POLICY, 1);
        await().atMost(Stage.LIMIT)
                .untilAsserted(() -> assertThat(cluster.eventReasons(SERVER)).contains("CacheTampered"));
    }

    @Test
    void aRestartedReplicaReadsTheSharedCacheWithoutTheRegistry() {
        stage.create(POLICY, SERVER, "first");
        stage.awaitEnforced(POLICY, 1);
        var compiled = compiled();
        var registry = stage.installation().registry().program();
        registry.pause();
        try {
            for (var pod : stage.pods(SERVER)) {
                pod.kill();
                await().atMost(Stage.LIMIT).until(() -> !pod.isReady());
                await().atMost(Stage.LIMIT).until(pod::isReady);
                assertThat(pod.output()).contains("policy loaded");
                assertThat(fetchedFromAnotherReplica(pod)).isFalse();
            }
            stage.awaitEnforced(POLICY, 1);
        } finally {
            registry.resume();
        }
        assertThat(compiled()).isEqualTo(compiled);
    }

    private static boolean fetchedFromAnotherReplica(HostPod pod) {
        return pod.output().contains("module fetched from another replica");
    }

    /** Each has the same module in the same claim. */
    @Test
    void twoServersOnOneClaimHaveADirectoryEach() {
        stage.create(POLICY, SERVER, "first");
        stage.awaitEnforced(POLICY, 1);
        var before = cachedIn(SERVER);
        assertThat(before).isNotEmpty();
        var server =
                Policies.server(NEIGHBOUR, 1, stage.installation().registry().host());
        server.getSpec().putObject("cache").put("mode", "Shared").put("claimName", "modules");
        stage.startServer(server);
        try {
            stage.create(OTHER_POLICY, NEIGHBOUR, "second");
            stage.awaitEnforced(OTHER_POLICY, 1);

            assertThat(cachedIn(NEIGHBOUR)).isNotEmpty();
            assertThat(cachedIn(SERVER)).isEqualTo(before);
            assertThat(cached(""))
                    .hasSize(cachedIn(SERVER).size() + cachedIn(NEIGHBOUR).size());
        } finally {
            stage.remove(OTHER_POLICY);
            stage.removeServers(NEIGHBOUR);
        }
    }

    private Set<Path> cachedIn(String server) {
        return cached("").stream()
                .filter(file ->
                        file.startsWith(directory.resolve("pods/claims/modules").resolve(server)))
                .collect(Collectors.toSet());
    }

    @Test
    void aServerThatRollsToAnotherEngineLosesNoRequest() throws InterruptedException {
        stage.create(POLICY, SERVER, "first");
        stage.awaitEnforced(POLICY, 1);
        var before = compiled();
        var load = Load.start(stage.requests(), 10);
        var registry = stage.installation().registry().program();
        registry.pause(); // the original is in the cache
        try {
            rollOut(Installation.OTHER_ENGINE);
            stage.awaitEnforced(POLICY, 1);
        } finally {
            registry.resume();
        }

        assertThat(load.finish()).isEmpty();
        assertThat(compiled()).containsAll(before).hasSizeGreaterThan(before.size());
        assertThat(stage.pods(SERVER)).noneMatch(ReplicaFaultsIT::fetchedFromAnotherReplica);
        rollOut(Installation.IMAGE);
        stage.awaitEnforced(POLICY, 1);
    }

    @Test
    void aRolloutToReplicasThatCannotLoadWhatIsEnforcedWaitsAndTheOldOnesGoOn() throws Exception {
        stage.create(POLICY, SERVER, "first");
        var policy = stage.awaitEnforced(POLICY, 1);
        var load = Load.start(stage.requests(), 10);
        var modules = directory.resolve("registry/blobs");
        var elsewhere = Files.move(modules, directory.resolve("registry/elsewhere"));
        emptyCache();

        stage.policies().editServer(SERVER, spec -> spec.put("image", Installation.OTHER_ENGINE));
        await().atMost(Stage.LIMIT).until(() -> says(stage.revision(policy, 1), "BootstrapLoadError"));
        var old = stage.pods(SERVER).getFirst();
        assertThat(old.isReady() && runs(old, Installation.IMAGE)).isTrue();
        assertThat(stage.requests().privilegedPod()).isInstanceOf(Answer.Denied.class);
        await().atMost(Stage.LIMIT)
                .untilAsserted(() -> assertThat(serverConditions()).contains("Available=True", "Progressing=True"));

        Files.move(elsewhere, modules);
        awaitRollout(Installation.OTHER_ENGINE);
        stage.awaitEnforced(POLICY, 1);
        assertThat(load.finish()).isEmpty();
        rollOut(Installation.IMAGE);
        stage.awaitEnforced(POLICY, 1);
        emptyCache(); // other tests compile for the other engine, too
    }

    private void emptyCache() throws IOException {
        for (var file : cached("")) {
            Files.delete(file);
        }
    }

    private List<String> serverConditions() {
        var status = stage.client()
                .resources(PolicyServer.class)
                .withName(SERVER)
                .get()
                .getStatus();
        return Objects.requireNonNull(status).conditions().stream()
                .map(condition -> condition.getType() + "=" + condition.getStatus())
                .toList();
    }

    @Test
    void aReplicaThatStartsWithoutTheApiServerWaitsForIt() {
        stage.create(POLICY, SERVER, "first");
        stage.awaitEnforced(POLICY, 1);
        var pod = stage.pods(SERVER).getLast();

        pod.line().cut();
        pod.kill();
        await().atMost(Stage.LIMIT).until(() -> pod.output().contains("cannot list revisions"));
        assertThat(pod.isReady()).isFalse();
        assertThat(stage.requests().privilegedPod()).isInstanceOf(Answer.Denied.class);

        pod.line().mend();
        await().atMost(Stage.LIMIT).until(pod::isReady);
        stage.awaitEnforced(POLICY, 1);
    }

    @Test
    void aGroupLivesTheSameLife() {
        var groups = stage.client().resources(ClusterAdmissionPolicyGroup.class).withName(POLICY);
        stage.client().resource(group()).create();
        cluster.await(groups, Stage::isEnforced, Stage.LIMIT);
        assertThat(stage.requests().privilegedPod()).isInstanceOf(Answer.Denied.class);
        assertThat(stage.requests().ordinaryPod()).isEqualTo(new Answer.Allowed());

        // The expression "anyone or someone else" refuses no user.
        Policies.edit(groups, group -> group.getSpec().put("expression", "strict() || !strict()"));
        cluster.await(
                groups, group -> Stage.isEnforced(group) && group.getMetadata().getGeneration() == 2, Stage.LIMIT);
        await().atMost(Stage.LIMIT).until(() -> stage.requests().privilegedPod() instanceof Answer.Allowed);

        Policies.edit(
                groups,
                group -> ((ObjectNode) group.getSpec().at("/policies/strict"))
                        .set("settings", JsonNodeFactory.instance.objectNode().put("no_such_setting", 1)));
        var failed = cluster.await(
                groups,
                group -> group.getStatus() != null && Stage.status(group).phase() == Phase.FAILED,
                Stage.LIMIT);
        assertThat(Stage.status(failed).condition(ConditionType.ACCEPTED))
                .hasValueSatisfying(accepted -> assertThat(accepted.message()).contains("strict"));

        groups.delete();
        await().atMost(Stage.LIMIT).until(() -> groups.get() == null);
        assertThat(stage.webhook("kw.capg." + POLICY)).isNull();
    }

    private ClusterAdmissionPolicyGroup group() {
        return Serialization.unmarshal(
                """
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicyGroup
                metadata: {name: %s}
                spec:
                  policyServer: "%s"
                  expression: strict()
                  message: the group says no
                  policies:
                    strict: {module: "%s", settings: {}}
                  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %s}}
                  rules:
                    - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}
                """.formatted(POLICY, SERVER, stage.module(), WATCHED), ClusterAdmissionPolicyGroup.class);
    }

    private void breakSettings() {
        stage.policies().edit(POLICY, spec -> spec.putObject("settings").put("no_such_setting", true));
    }

    private void rollOut(String image) {
        stage.policies().editServer(SERVER, spec -> spec.put("image", image));
        awaitRollout(image);
    }

    private void awaitRollout(String image) {
        await("all replicas run " + image)
                .atMost(Stage.LIMIT)
                .until(() -> stage.pods(SERVER).stream().allMatch(pod -> pod.isReady() && runs(pod, image)));
    }

    private boolean runs(HostPod pod, String image) {
        var object = stage.client()
                .pods()
                .inNamespace(cluster.namespace())
                .withName(pod.name())
                .get();
        return object != null
                && image.equals(object.getSpec().getContainers().getFirst().getImage());
    }

    private HostPod pod(PolicyRevision revision) {
        return stage.installation()
                .pods()
                .pod(Objects.requireNonNull(status(revision).leader()).identity());
    }

    private HostPod other(HostPod pod) {
        return stage.pods(SERVER).stream()
                .filter(each -> !each.name().equals(pod.name()))
                .findFirst()
                .orElseThrow();
    }

    private static List<Condition> wordOfLeader(PolicyRevision revision) {
        return status(revision).conditions().stream()
                .filter(condition -> condition.replica() == Condition.NO_REPLICA)
                .toList();
    }

    private static long term(PolicyRevision revision) {
        return Objects.requireNonNull(status(revision).leader()).term();
    }

    private static PolicyRevisionStatus status(PolicyRevision revision) {
        return Objects.requireNonNull(revision.getStatus());
    }

    private String digest(Policy policy, long generation) {
        return status(stage.revision(policy, generation)).artifacts().getFirst().digest();
    }

    private static boolean says(PolicyRevision revision, String reason) {
        return revision.getStatus() != null && says(revision.getStatus().conditions(), reason);
    }

    private static boolean says(List<Condition> conditions, String reason) {
        return conditions.stream().anyMatch(condition -> condition.reason().equals(reason));
    }

    private static List<String> conditions(PolicyRevision revision) {
        return status(revision).conditions().stream()
                .map(condition -> condition.type() + condition.replica() + "=" + condition.reason())
                .toList();
    }

    /** Compiled modules in the cache, whatever engine they are for. */
    private Set<Path> compiled() {
        return cached("optimized");
    }

    private Set<Path> cached(String prefix) {
        try (var files = Files.walk(directory.resolve("pods/claims/modules"))) {
            return files.filter(file -> Files.isRegularFile(file)
                            && file.getFileName().toString().startsWith(prefix)
                            && !file.toString().endsWith(".sig"))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void tamper() throws IOException {
        for (var file : cached("original")) {
            var bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2] ^= 1;
            Files.write(file, bytes);
        }
    }
}
