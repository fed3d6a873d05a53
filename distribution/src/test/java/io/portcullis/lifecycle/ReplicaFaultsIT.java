package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.tools.NeedsTools;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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
    private static final String WATCHED = "faults-watched";

    private Stage stage;
    private Path directory;

    @BeforeAll
    void install(TestCluster cluster, @TempDir Path temporary) {
        directory = temporary;
        stage = Stage.open(cluster, directory, WATCHED, "webhookDrainSeconds=10");
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
        stage.removeServer(SERVER);
        stage.close();
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
    void aCacheThatSomebodyChangedIsReportedAndRebuilt() throws IOException {
        stage.create(POLICY, SERVER, "first");
        stage.awaitEnforced(POLICY, 1);
        tamper();

        var pod = stage.pods(SERVER).getLast();
        pod.kill();
        await().atMost(Stage.LIMIT).until(() -> !pod.isReady());
        stage.awaitReady(SERVER, 2);

        stage.awaitEnforced(POLICY, 1);
        await().atMost(Stage.LIMIT)
                .untilAsserted(() -> assertThat(stage.client()
                                .v1()
                                .events()
                                .inNamespace("default")
                                .list()
                                .getItems())
                        .filteredOn(
                                event -> SERVER.equals(event.getInvolvedObject().getName()))
                        .extracting(event -> event.getReason())
                        .contains("CacheTampered"));
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

    private void breakSettings() {
        stage.policies().edit(POLICY, spec -> spec.putObject("settings").put("no_such_setting", true));
    }

    private static PolicyRevisionStatus status(PolicyRevision revision) {
        return Objects.requireNonNull(revision.getStatus());
    }

    private String digest(Policy policy, long generation) {
        return status(stage.revision(policy, generation)).artifacts().getFirst().digest();
    }

    private static List<String> conditions(PolicyRevision revision) {
        return status(revision).conditions().stream()
                .map(condition -> condition.type() + condition.replica() + "=" + condition.reason())
                .toList();
    }

    private Set<Path> cachedModules() {
        try (var files = Files.walk(directory.resolve("pods/claims/modules"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("original")
                            && !file.toString().endsWith(".sig"))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void tamper() throws IOException {
        for (var file : cachedModules()) {
            var bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2] ^= 1;
            Files.write(file, bytes);
        }
    }
}
