package io.portcullis.server;

import java.util.List;
import java.util.Optional;

/** The text that {@code --version} prints. */
final class Version {

    private Version() {}

    /** Returns the version in the manifest of the jar, or {@code development} when run from class files. */
    static String number() {
        return Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
                .orElse("development");
    }

    static List<String> lines() {
        return List.of(
                "policy-server (Portcullis) " + number(),
                "compatible with Kubewarden policy-server 1.36",
                "Java " + Runtime.version());
    }
}
