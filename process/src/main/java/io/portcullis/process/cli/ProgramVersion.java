package io.portcullis.process.cli;

import java.util.List;
import java.util.Optional;

/** The text that {@code --version} prints. */
public final class ProgramVersion {

    private ProgramVersion() {}

    /**
     * Returns the lines of the text. The version is the one in the manifest of the jar, or {@code development} when the
     * program runs from class files.
     *
     * @param program the name of the program, which is also the name of Kubewarden's program
     * @param main a class in the program's own jar
     */
    public static List<String> lines(String program, Class<?> main) {
        return List.of(
                program + " (Portcullis) "
                        + Optional.ofNullable(main.getPackage().getImplementationVersion())
                                .orElse("development"),
                "compatible with Kubewarden " + program + " 1.36",
                "Java " + Runtime.version());
    }
}
