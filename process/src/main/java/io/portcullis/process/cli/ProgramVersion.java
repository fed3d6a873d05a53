package io.portcullis.process.cli;

import java.util.List;
import java.util.Optional;

/** The text that {@code --version} prints. */
public final class ProgramVersion {

    private static final String KUBEWARDEN = "1.36";

    private ProgramVersion() {}

    /** @param main a class of the program; the manifest of its jar has the version */
    public static List<String> lines(String program, Class<?> main) {
        var number = Optional.ofNullable(main.getPackage().getImplementationVersion())
                .orElse("development");
        return List.of(
                program + " (Portcullis) " + number,
                "compatible with Kubewarden " + program + " " + KUBEWARDEN,
                "Java " + Runtime.version());
    }
}
