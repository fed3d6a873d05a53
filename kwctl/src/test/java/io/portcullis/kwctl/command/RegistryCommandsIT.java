package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.portcullis.kwctl.KwctlProcess;
import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import io.portcullis.testkit.registry.LocalRegistry;
import io.portcullis.testkit.tools.NeedsTools;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code push}, {@code pull}, {@code digest}, {@code save}, {@code load} against a real registry. */
@NeedsTools("registry")
class RegistryCommandsIT {

    @TempDir
    Path directory;

    private LocalRegistry registry;
    private KwctlRunner kwctl;

    @BeforeEach
    void startRegistry() throws Exception {
        registry = LocalRegistry.plain(Files.createDirectory(directory.resolve("registry")));
        kwctl = new KwctlRunner(directory);
        SamplePolicies.write(directory.resolve("sources.yaml"), "insecure_sources: [\"" + registry.host() + "\"]\n");
    }

    @AfterEach
    void stopRegistry() {
        registry.close();
    }

    private String image(String tag) {
        return registry.host() + "/tests/privileged-pods" + tag;
    }

    private KwctlRunner.Result push(String image, String... more) {
        var words = new ArrayList<>(
                List.of("push", "--sources-path", "sources.yaml", SamplePolicies.PRIVILEGED_PODS, image));
        words.addAll(List.of(more));
        return kwctl.run(words.toArray(String[]::new));
    }

    @Test
    void pushesAndPrintsTheReference() throws Exception {
        var text = push("registry://" + image(":v1"));
        var json = push(image(":v1"), "-o", "json");

        assertThat(text.out()).matches("Policy successfully pushed: " + image("") + "@sha256:[0-9a-f]{64}\n");
        assertThat(new JsonMapper().readTree(json.out()).path("immutable_ref").asText())
                .isEqualTo(text.out().strip().substring("Policy successfully pushed: ".length()));

        var digest = kwctl.run("digest", "--sources-path", "sources.yaml", image(":v1"));
        assertThat(digest.out())
                .startsWith(image(":v1") + "@sha256:")
                .endsWith(text.out().substring(text.out().indexOf("sha256:")));
    }

    @Test
    void copiesThePolicysAnnotationsIntoTheManifest() throws Exception {
        push(image(":v1"));

        var manifest = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(
                                        "http://" + registry.host() + "/v2/tests/privileged-pods/manifests/v1"))
                                .header("Accept", "application/vnd.oci.image.manifest.v1+json")
                                .build(),
                        BodyHandlers.ofString())
                .body();

        assertThat(manifest)
                .contains("\"io.kubewarden.policy.title\":\"privileged-pods\"")
                .contains("application/vnd.wasm.content.layer.v1+wasm");
    }

    @Test
    void pullsIntoTheStoreOrIntoAFile() throws Exception {
        push(image(""));

        var pulled = kwctl.run("pull", "--sources-path", "sources.yaml", "registry://" + image("") + " ");
        kwctl.run("pull", "--sources-path", "sources.yaml", "-o", "here.wasm", image(":latest"));

        assertThat(pulled.code()).isZero();
        assertThat(pulled.out()).isEmpty();
        assertThat(kwctl.run("policies").out()).contains("| registry://" + image(":latest") + " ");
        assertThat(directory.resolve("here.wasm")).hasSameBinaryContentAs(Path.of(SamplePolicies.PRIVILEGED_PODS));
    }

    @Test
    void runsAPolicyThatWasNotPulledBefore() {
        push(image(":v1"));
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(true));

        var result = kwctl.run("run", "--sources-path", "sources.yaml", "-r", "r.json", "registry://" + image(":v1"));

        assertThat(result.out()).contains("\"allowed\":false");
    }

    @Test
    void inspectsARemotePolicyWithoutStoringIt() {
        push(image(":v1"));

        var remote = kwctl.run("inspect", "--sources-path", "sources.yaml", "--remote", "registry://" + image(":v1"));

        assertThat(remote.out())
                .as(remote.err())
                .isEqualTo(kwctl.run("inspect", SamplePolicies.PRIVILEGED_PODS).out());
        assertThat(kwctl.run("policies").out()).isEmpty();
        assertThat(kwctl.run("inspect", "--sources-path", "sources.yaml", "--remote", image(":none"))
                        .err())
                .contains("Error: Fail to interact with OCI registry: ");
        assertThat(kwctl.run("inspect", "--remote", "--pull", image(":v1")).code())
                .isEqualTo(2);
        assertThat(kwctl.run("inspect", "--remote", SamplePolicies.PRIVILEGED_PODS)
                        .code())
                .isZero();
    }

    @Test
    void savesAndLoadsPoliciesThroughAnArchive() {
        push(image(":v1"));
        push(image(":v2"));
        kwctl.run("pull", "--sources-path", "sources.yaml", image(":v1"));
        kwctl.run("pull", "--sources-path", "sources.yaml", image(":v2"));

        assertThat(kwctl.run("save", "registry://" + image(":v1"), "registry://" + image(":v2"), "--output", "p.tar.gz")
                        .code())
                .isZero();
        kwctl.run("rm", "registry://" + image(":v1"));
        kwctl.run("rm", "registry://" + image(":v2"));
        assertThat(kwctl.run("policies").out()).isEmpty();
        assertThat(kwctl.run("load", "--input", "p.tar.gz").code()).isZero();

        assertThat(kwctl.run("policies").out()).contains(image(":v1"), image(":v2"));
    }

    /** Captures the complete terminal output with tmux. */
    @Test
    void drawsProgressOnlyInATerminal() throws Exception {
        push(image(":v1"));
        var launcher = new KwctlProcess(directory);
        var script = """
                tmux -L "$1" -f /dev/null new-session -d -x 200 -y 20 cat || exit 1
                tmux -L "$1" pipe-pane "cat > raw"
                tmux -L "$1" respawn-pane -k "$2; tmux -L '$1' wait-for -S done; cat"
                tmux -L "$1" wait-for done
                tmux -L "$1" capture-pane -p > seen
                tmux -L "$1" kill-server
                """;
        var pull = KwctlProcess.LAUNCHER + " pull --sources-path sources.yaml " + image(":v1");

        var result = launcher.shell(List.of(
                "bash",
                "-c",
                script,
                "bash",
                "kwctl-pull-" + ProcessHandle.current().pid(),
                pull));

        assertThat(directory.resolve("raw"))
                .as(result.err())
                .content()
                .contains("Pulling registry://" + image(":v1") + " [")
                .contains("##] ");
        assertThat(directory.resolve("seen")).content().doesNotContain("Pulling");
        assertThat(launcher.run("policies").out()).contains(image(":v1"));
        launcher.run("rm", "registry://" + image(":v1"));
        assertThat(launcher.run("pull", "--sources-path", "sources.yaml", image(":v1"))
                        .err())
                .doesNotContain("Pulling", "\u001b[");
    }

    @Test
    void reportsImagesThatTheRegistryDoesNotHave() {
        var result = kwctl.run("pull", "--sources-path", "sources.yaml", image(":none"));

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err())
                .contains("Error: Fail to interact with OCI registry: ")
                .contains(image(":none"))
                .contains("404");
    }

    @Test
    void rejectsAnHttpRegistryThatIsNotListedAsInsecure() {
        assertThat(kwctl.run("pull", image(":v1")).code()).isEqualTo(1);
    }

    @Test
    void reportsUnreadableArchives() {
        SamplePolicies.write(directory.resolve("junk.tar.gz"), "junk");

        assertThat(kwctl.run("load", "--input", "none").err()).startsWith("Error: cannot open file none");
        assertThat(kwctl.run("load", "--input", "junk.tar.gz").err())
                .startsWith("Error: cannot unpack file junk.tar.gz");
        assertThat(kwctl.run("save", "-o", "x.tar.gz", "registry://" + image(":v9"))
                        .err())
                .startsWith("Error: cannot find policy registry://");
    }
}
