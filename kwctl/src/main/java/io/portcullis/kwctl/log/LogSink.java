package io.portcullis.kwctl.log;

import io.portcullis.kwctl.cli.CommandSession;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;

/**
 * The destination of all log lines.
 *
 * <p>SLF4J owns its loggers for the life of the process, so each run replaces the target of the sink. Tests that run
 * commands in one process run them one after the other.
 */
public final class LogSink {

    /** Libraries whose info messages are too verbose for a command line. */
    private static final List<String> CHATTY = List.of("io.fabric8", "io.grpc", "dev.sigstore", "com.google");

    private volatile Target target =
            new Target(System.err, InstantSource.system(), new KwctlLogSettings(Level.INFO, false));

    LogSink() {}

    private record Target(PrintStream stream, InstantSource clock, KwctlLogSettings settings) {}

    /** Selects our SLF4J provider. Call this before any class with a logger is loaded: SLF4J selects its provider once. */
    public static void claim() {
        System.setProperty("slf4j.provider", LineLogProvider.class.getName());
        System.setProperty("slf4j.internal.verbosity", "WARN");
    }

    /** Directs all loggers to the session's standard error. */
    public static void install(CommandSession session, KwctlLogSettings settings) {
        if (LoggerFactory.getILoggerFactory() instanceof LineLoggers loggers) {
            loggers.sink().target = new Target(session.err(), session.clock(), settings);
        }
    }

    boolean writes(Level level, String logger) {
        var least = target.settings.level();
        var quieter = CHATTY.stream().anyMatch(logger::startsWith) && least.toInt() < Level.WARN.toInt();
        return level.toInt() >= (quieter ? Level.WARN : least).toInt();
    }

    void write(Level level, String logger, String message, List<KeyValuePair> fields) {
        var current = target;
        current.stream.print(
                LogLine.of(current.clock.instant(), level, logger, message, fields, current.settings.styled()));
        current.stream.flush();
    }
}
