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

/** The process: real streams, real environment, one command line. */
public final class Main {

    private Main() {}

    public static void main(String[] arguments) {
        var code = run(List.of(arguments));
        // All is closed and flushed. An exit would first look through all jars for somebody who wants to log it.
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

    /** UTF-8 whatever the locale, and written in large pieces; {@link Kwctl} flushes at the end. */
    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(
                new BufferedOutputStream(new FileOutputStream(descriptor), 1 << 16), false, StandardCharsets.UTF_8);
    }
}
