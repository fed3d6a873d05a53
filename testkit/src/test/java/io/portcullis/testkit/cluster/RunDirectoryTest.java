package io.portcullis.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.Checkout;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunDirectoryTest {

    private static final Map<String, String> ENVIRONMENT = Map.of("XDG_STATE_HOME", "/state");

    @Test
    void checkoutsDoNotShareACluster() {
        var one = RunDirectory.forTests(new Checkout(Path.of("/src/one")), ENVIRONMENT, 1);
        var two = RunDirectory.forTests(new Checkout(Path.of("/src/two")), ENVIRONMENT, 1);

        assertThat(one.path()).startsWithRaw(Path.of("/state/portcullis")).isNotEqualTo(two.path());
        assertThat(one.ours()).isTrue();
    }

    @Test
    void doesNotOwnADirectoryThatTheCallerChose() {
        var run = RunDirectory.forTests(new Checkout(Path.of("/src/one")), Map.of("PORTCULLIS_RUN", "/tmp/mine"), 1);

        assertThat(run).isEqualTo(new RunDirectory(Path.of("/tmp/mine"), false));
    }

    @ParameterizedTest
    @CsvSource({"XDG_STATE_HOME, /state", "PORTCULLIS_RUN, /tmp/mine"})
    void jvmsOfOneRunDoNotShareACluster(String variable, String value) {
        var checkout = new Checkout(Path.of("/src/one"));

        var first = RunDirectory.forTests(checkout, Map.of(variable, value), 1);
        var second = RunDirectory.forTests(checkout, Map.of(variable, value), 2);

        assertThat(second.path()).hasToString(first.path() + "-2");
        assertThat(second.ours()).isEqualTo(first.ours());
    }
}
