package io.portcullis.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.testkit.Checkout;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An existing cluster that is used through its kubeconfig. */
@Tag("level1")
@RealCluster(level = Level.API)
class ExistingClusterIT {

    @Test
    void usesAnExistingClusterWithoutStoppingIt(TestCluster existing, @TempDir Path run) {
        var external = new LocalCluster(Checkout.current(), run);
        external.useKubeconfig(existing.local().kubeconfig());

        assertThat(external.has(Level.NODES, 3)).isTrue();
        assertThat(external.kubeconfig()).exists();
        assertThatThrownBy(() -> external.stopNode(1)).hasMessageContaining("this is your own cluster");

        external.down();
        assertThat(existing.client().namespaces().withName(existing.namespace()).get())
                .isNotNull();
    }
}
