package io.portcullis.process.cli;

import java.util.List;
import java.util.Optional;

/** The text that {@code --version} prints. */
public final class Version {

    private Version() {}

    /**
     * Returns the lines to print.
     *
     * @param main a class of the program, whose jar contains the version; a program that runs from class files has none
     */
    public static List<String> lines(String program, Class<?> main) {
        var number = Optional.ofNullable(main.getPackage().getImplementationVersion())
                .orElse("development");
        return List.of(
                program + " (Portcullis) " + number,
                "compatible with Kubewarden " + program + " 1.36",
                "Java " + Runtime.version());
    }
}
