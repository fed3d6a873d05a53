package io.portcullis.artifacts.oci.credentials;

import io.portcullis.fuzz.Inputs;
import java.util.List;
import java.util.Map;

/** A docker config never fails, and a registry that it does not name gets no password. */
public final class DockerConfigFuzz {

    private DockerConfigFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        var json = Inputs.jackson(input);
        if (json.isEmpty()) {
            return;
        }
        // Without a PATH no credential helper is found or run.
        var config = new DockerConfig(json.get(), new CredentialHelper(Map.of()));
        for (var registry : List.of("docker.io", "ghcr.io", "localhost:5000")) {
            config.forRegistry(registry);
        }
        var unnamed = "unnamed.example";
        if (!json.get().toString().contains(unnamed)) {
            Inputs.check(
                    config.forRegistry(unnamed) instanceof Credential.Anonymous,
                    "a registry that is not named gets no credentials");
        }
    }
}
