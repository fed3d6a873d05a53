package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks wrong usages of kwctl. The exit code is 2 for a wrong command line and 1 for a failure. The message names the file,
 * policy or option and the cause. It contains no class name and no stack trace, and repeats no line.
 */
class WrongTurnsTest {

    private static final long HUGE = 3L << 30;

    @TempDir
    Path directory;

    /** @param parts the texts that the message contains */
    record Turn(int code, String line, List<String> parts) {
        @Override
        public String toString() {
            return line;
        }
    }

    private static Turn usage(String line, String... parts) {
        return new Turn(2, line, List.of(parts));
    }

    private static Turn failure(String line, String... parts) {
        return new Turn(1, line, List.of(parts));
    }

    static Stream<Turn> wrongCommands() {
        return Stream.of(
                usage("rn", "similar subcommand exists: 'run'"),
                usage("runn", "similar subcommand exists: 'run'"),
                usage("help zzz", "unrecognized subcommand 'zzz'"),
                usage("--nope", "unexpected argument '--nope'"),
                usage("run x --request pod.yaml", "similar argument exists: '--request-path'"));
    }

    static Stream<Turn> wrongFiles() {
        return Stream.of(
                failure("run pod.yaml -r pod.yaml", "pod.yaml: unknown kind Pod", "--object"),
                failure("run @policy -r pod.yaml", "pod.yaml contains an object of kind Pod", "--object pod.yaml"),
                failure("run @policy -r random.json", "random.json", "binary file"),
                failure("run @policy -r huge.json", "huge.json", "larger than 64 MiB"),
                failure("run @policy -r directory", "directory", "Is a directory"),
                failure("run random.yml --object pod.yaml", "random.yml", "binary file"),
                failure("run huge.yaml --object pod.yaml", "huge.yaml", "larger than 64 MiB"),
                failure("run broken.yml --object pod.yaml", "broken.yml", "line 1, column 5", "a: b: c"),
                failure("run empty.yaml --object pod.yaml", "empty.yaml", "holds no policy"),
                failure("scan directory -p policy.yaml", "no Kubernetes object found in directory"),
                failure("scan /dev/null -p policy.yaml", "no Kubernetes object found in /dev/null"),
                failure("scan missing -p policy.yaml", "missing", "No such file or directory"),
                failure("scan random.yaml -p policy.yaml", "random.yaml", "binary file"),
                failure("scan huge.yaml -p policy.yaml", "huge.yaml", "larger than 64 MiB"),
                failure("scan broken.yml -p policy.yaml", "broken.yml", "line 1, column 5", "a: b: c"),
                failure("scan pod.yaml", "no policies", "--policies"),
                failure("scan pod.yaml -p directory", "directory", "Is a directory"),
                failure("pull nope", "Cannot find policy with uri: nope", "has no registry", "registry://"),
                failure("pull nope:v1", "Cannot find policy with uri: nope:v1", "has no registry"),
                failure("pull registry://localhost:1/nope:v1", "localhost:1", "connection refused"),
                failure("pull registry://nope.invalid/nope:v1", "nope.invalid", "unknown host"),
                failure("pull --docker-config-json-path none localhost:1/x:v1", "--docker-config-json-path none"),
                failure("status --kubeconfig pod.yaml", "pod.yaml is not a valid kubeconfig", "no clusters"),
                failure("status --kubeconfig empty.yaml", "empty.yaml is not a valid kubeconfig"),
                failure("status --kubeconfig random.yaml", "random.yaml", "binary file"),
                failure("status --kubeconfig missing", "cannot read kubeconfig", "missing"),
                failure("status --kubeconfig directory", "cannot read kubeconfig", "directory"),
                failure("inspect random.wasm", "random.wasm: invalid wasm file"),
                failure("inspect empty.wasm", "empty.wasm is an empty file"),
                failure("inspect directory", "directory", "It is a directory"),
                failure("test random.yaml", "random.yaml", "binary file"),
                failure("test directory", "no test suite found", "test.yaml"),
                failure("scaffold vap -p random.yaml -b random.yaml", "random.yaml", "binary file"),
                failure("scaffold admission-request -o CREATE --object random.yaml", "random.yaml", "binary file"),
                failure("scaffold admission-request -o CREATE --object huge.yaml", "huge.yaml", "larger than 64 MiB"),
                failure("migrate values random.yaml", "random.yaml", "binary file"),
                failure("migrate values huge.yaml", "huge.yaml", "larger than 64 MiB"),
                failure("validate-settings -s random.yaml @policy", "random.yaml", "binary file"),
                failure("validate-settings -s broken.yml @policy", "broken.yml", "line 1, column 5"));
    }

    @BeforeEach
    void files() throws Exception {
        Files.createDirectory(directory.resolve("directory"));
        write("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n");
        write("pod.json", "{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}");
        write("broken.json", "{\"uid\": ");
        write("broken.yml", "a: b: c\n");
        write("empty.yaml", "");
        write("empty.wasm", "");
        write("policy.yaml", """
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicy
                metadata: {name: p}
                spec: {module: x.wasm}
                """);
        var random = new byte[4096];
        RandomGeneratorFactory.of("L64X128MixRandom").create(1).nextBytes(random);
        for (var name : List.of("random.yaml", "random.yml", "random.json", "random.wasm")) {
            Files.write(directory.resolve(name), random);
        }
        for (var name : List.of("huge.yaml", "huge.json")) {
            try (var sparse = new RandomAccessFile(directory.resolve(name).toFile(), "rw")) {
                sparse.setLength(HUGE);
            }
        }
    }

    private void write(String name, String text) {
        SamplePolicies.write(directory.resolve(name), text);
    }

    @ParameterizedTest
    @MethodSource({"wrongCommands", "wrongFiles"})
    void namesCauseAndObject(Turn turn) {
        var words = Arrays.stream(turn.line().split(" "))
                .map(word -> word.equals("@policy") ? SamplePolicies.PRIVILEGED_PODS : word)
                .toArray(String[]::new);

        var result = new KwctlRunner(directory).with("KUBECONFIG", "").run(words);

        assertThat(result.err()).contains(turn.parts()).doesNotContain("\tat ", "java.", "Exception");
        assertThat(result.err().lines().filter(line -> !line.isBlank())).doesNotHaveDuplicates();
        assertThat(result.code()).isEqualTo(turn.code());
        assertThat(result.out()).isEmpty();
    }
}
