package io.portcullis.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.Checkout;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunDirectoryTest {

    private static final Map<String, String> ENVIRONMENT = Map.of("XDG_STATE_HOME", "/state");

    @Test
    void checkoutsDoNotShareACluster() {
        var one = RunDirectory.forTests(new Checkout(Path.of("/src/one")), ENVIRONMENT);
        var two = RunDirectory.forTests(new Checkout(Path.of("/src/two")), ENVIRONMENT);

        assertThat(one.path()).startsWithRaw(Path.of("/state/portcullis")).isNotEqualTo(two.path());
        assertThat(one.ours()).isTrue();
    }

    @Test
    void directoryThatTheCallerNamedIsTheCallers() {
        var run = RunDirectory.forTests(new Checkout(Path.of("/src/one")), Map.of("PORTCULLIS_RUN", "/tmp/mine"));

        assertThat(run).isEqualTo(new RunDirectory(Path.of("/tmp/mine"), false));
    }
}
