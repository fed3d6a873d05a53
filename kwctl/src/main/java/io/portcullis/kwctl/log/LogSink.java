package io.portcullis.kwctl.log;

import io.portcullis.kwctl.cli.CommandSession;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;

/**
 * Where all lines go. SLF4J owns its loggers for the life of the process, so the sink is swapped whole when a run begins; tests
 * that run commands in one process do so one after the other.
 */
public final class LogSink {

    /** Libraries that say more at info than a user of a command line wants to know. */
    private static final List<String> CHATTY = List.of("io.fabric8", "io.grpc", "dev.sigstore", "com.google");

    private volatile Target target =
            new Target(System.err, InstantSource.system(), new KwctlLogSettings(Level.INFO, false));

    LogSink() {}

    private record Target(PrintStream stream, InstantSource clock, KwctlLogSettings settings) {}

    /** Makes SLF4J ours. Must come before the first class that has a logger: SLF4J decides once. */
    public static void claim() {
        System.setProperty("slf4j.provider", LineLogProvider.class.getName());
        System.setProperty("slf4j.internal.verbosity", "WARN");
    }

    /** Makes all loggers write to the session's standard error from here on. */
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
