package io.portcullis.lifecycle;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.Tools;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One of our charts, rendered by the real helm. */
record Chart(String name) {

    /** Everything that installing it would apply, hooks too. */
    List<HasMetadata> render(KubernetesClient client, String namespace, List<String> settings) {
        var words = new ArrayList<>(List.of(
                Tools.current().ensured("helm").toString(),
                "template",
                name,
                Checkout.current().root().resolve("charts").resolve(name).toString(),
                "--namespace",
                namespace));
        settings.forEach(setting -> words.addAll(List.of("--set", setting)));
        var yaml = ShellCommand.of(words).run();
        return client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                .items();
    }
}
