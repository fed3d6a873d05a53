package io.portcullis.process.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Clock;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeadershipTest {

    /** A process that is stopped before it has listed the objects of its cluster does not compete yet. */
    @Test
    void canBeClosedBeforeItCompetes() {
        var config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:1")
                .build();
        try (var client = new KubernetesClientBuilder().withConfig(config).build()) {
            var leadership = new Leadership(
                    client,
                    new Leadership.Candidate("n", "lease", "pod", Optional::empty),
                    Clock.systemUTC(),
                    System::nanoTime,
                    _ -> {});

            leadership.close();
            leadership.start();

            assertThat(leadership.tenure().term()).isEmpty();
        }
    }
}
