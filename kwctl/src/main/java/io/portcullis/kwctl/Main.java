package io.portcullis.kwctl;

import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.CommandSession.Streams;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.Terminal;
import io.portcullis.kwctl.log.LogSink;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

/** The entry point of the process: runs one command line with the real streams and environment. */
public final class Main {

    private Main() {}

    public static void main(String[] arguments) {
        var code = run(List.of(arguments));
        // All resources are closed and flushed. System.exit would first search all jars for a System.Logger provider.
        Runtime.getRuntime().halt(code.number());
    }

    static KwctlExitCode run(List<String> words) {
        LogSink.claim();
        var session = new CommandSession(
                System.getenv(),
                Path.of("").toAbsolutePath(),
                new Streams(System.in, stream(FileDescriptor.out), stream(FileDescriptor.err)),
                Terminal.of(System.getProperty("portcullis.terminals", ""), System.getenv()),
                InstantSource.system());
        return new Kwctl(Commands.tree(), session).run(words);
    }

    /** Opens a buffered UTF-8 stream, independent of the locale. {@link Kwctl} flushes it at the end. */
    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(
                new BufferedOutputStream(new FileOutputStream(descriptor), 1 << 16), false, StandardCharsets.UTF_8);
    }
}
