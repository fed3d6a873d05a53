package io.portcullis.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.testkit.Checkout;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster that somebody else runs, used through its kubeconfig. */
@Tag("level1")
@RealCluster(level = Level.API)
class ExistingClusterIT {

    @Test
    void isUsedButNeverHarmed(TestCluster existing, @TempDir Path run) {
        var adopted = new LocalCluster(Checkout.current(), run);
        adopted.useKubeconfig(existing.local().kubeconfig());

        assertThat(adopted.has(Level.NODES, 3)).isTrue();
        assertThat(adopted.kubeconfig()).exists();
        assertThatThrownBy(() -> adopted.stopNode(1)).hasMessageContaining("this is your own cluster");

        adopted.down();
        assertThat(existing.client().namespaces().withName(existing.namespace()).get())
                .isNotNull();
    }
}
