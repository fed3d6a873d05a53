package io.portcullis.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images that we build without a container engine run under the strictest pod security level. */
@Tag("level3")
@RealCluster(level = Level.NODES)
class OurImageIT {

    private static final long MAX_BYTES = 200_000_000;

    @Test
    void javaProgramRunsUnderPodSecurityRestricted(TestCluster cluster, @TempDir Path directory) throws IOException {
        var image = directory.resolve("greeting.tar");
        ShellCommand.of(
                        Checkout.current().imageScript().toString(),
                        "run-jar",
                        "greeting",
                        jar(directory).toString(),
                        Greeting.class.getName(),
                        image.toString())
                .run();
        assertThat(Files.size(image)).isLessThan(MAX_BYTES);
        cluster.local().loadImage(image);
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(cluster.namespace())
                .addToLabels("pod-security.kubernetes.io/enforce", "restricted")
                .endMetadata()
                .build());

        var pod = Pods.container(cluster, "greeting", "localhost/greeting:dev").build();

        assertThat(Pods.runToCompletion(cluster, pod)).isEqualTo("hello from user 65532, read-only: true");
    }

    private static Path jar(Path directory) throws IOException {
        var file = directory.resolve("greeting.jar");
        var entry = Greeting.class.getName().replace('.', '/') + ".class";
        try (var jar = new JarOutputStream(Files.newOutputStream(file));
                var code = Greeting.class.getClassLoader().getResourceAsStream(entry)) {
            assertThat(code).isNotNull();
            jar.putNextEntry(new JarEntry(entry));
            code.transferTo(jar);
            jar.closeEntry();
        }
        return file;
    }
}
