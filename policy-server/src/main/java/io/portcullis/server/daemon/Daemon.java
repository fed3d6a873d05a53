package io.portcullis.server.daemon;

import io.portcullis.process.cli.FailureException;
import io.portcullis.server.settings.ServerSettings.Background;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Runs this command again in the background and writes the process id to a file. A JVM cannot fork. The daemon is therefore
 * a new JVM with the same arguments, in a new session if {@code setsid} is available.
 */
public final class Daemon {

    private Daemon() {}

    /** @param arguments the arguments of this process; the daemon gets them with {@code --daemon=false} added */
    public static void launch(Background background, List<String> arguments) {
        var self = ProcessHandle.current().info();
        var executable = self.command()
                .orElseThrow(() -> new FailureException("cannot run in the background: own command is unknown", null));
        var command = new ArrayList<String>();
        setsid().ifPresent(command::add);
        command.add(executable);
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.portcullis.server.Main"));
        command.addAll(arguments);
        command.add("--daemon=false");
        try {
            var process = new ProcessBuilder(command)
                    .redirectInput(Redirect.from(new File("/dev/null")))
                    .redirectOutput(redirect(background.stdout()))
                    .redirectError(redirect(background.stderr()))
                    .start();
            Files.writeString(background.pidFile(), process.pid() + "\n");
        } catch (IOException e) {
            throw new FailureException("cannot run in the background: " + e.getMessage(), e);
        }
    }

    private static Redirect redirect(Optional<Path> file) {
        return file.map(path -> Redirect.appendTo(path.toFile())).orElse(Redirect.DISCARD);
    }

    /** {@code setsid} execs the command when it is not a group leader, so the recorded process id is the daemon's. */
    private static Optional<String> setsid() {
        return List.of("/usr/bin/setsid", "/bin/setsid").stream()
                .filter(file -> Files.isExecutable(Path.of(file)))
                .findFirst();
    }
}
