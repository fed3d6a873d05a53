package io.portcullis.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The policy server as deployed: our image, two replicas, under Pod Security "restricted". */
@Tag("level3")
@RealCluster(level = Level.NODES)
class PolicyServerImageIT {

    private static final long MAX_BYTES = 200_000_000;

    @BeforeAll
    static void needsTheBuiltProgram() {
        assumeTrue(
                Files.exists(Checkout.current().program("policy-server")),
                "dist/ has no policy-server: run ./portcullis build first");
    }

    @Test
    void twoReplicasBecomeReady(TestCluster cluster, @TempDir Path directory) throws IOException {
        var image = directory.resolve("policy-server.tar");
        ShellCommand.of(Checkout.current().imageScript().toString(), "build", "policy-server", image.toString())
                .run();
        assertThat(Files.size(image)).isLessThan(MAX_BYTES);
        cluster.local().loadImage(image);
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(cluster.namespace())
                .addToLabels("pod-security.kubernetes.io/enforce", "restricted")
                .endMetadata()
                .build());

        try (var manifest = PolicyServerImageIT.class.getResourceAsStream("/policy-server.yaml")) {
            cluster.client().load(manifest).items().forEach(cluster::apply);
        }

        cluster.await(
                cluster.client().apps().deployments().withName("policy-server"),
                deployment -> Objects.equals(deployment.getStatus().getReadyReplicas(), 2),
                Pods.LIMIT);
    }
}
