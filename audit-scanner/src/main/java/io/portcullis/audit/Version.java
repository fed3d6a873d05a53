package io.portcullis.audit;

import java.util.List;
import java.util.Optional;

/** The text that {@code --version} prints. */
final class Version {

    private Version() {}

    static List<String> lines() {
        var number = Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
                .orElse("development");
        return List.of(
                "audit-scanner (Portcullis) " + number,
                "compatible with Kubewarden audit-scanner 1.36",
                "Java " + Runtime.version());
    }
}
