package io.portcullis.kwctl.log;

import io.portcullis.kwctl.cli.CommandSession;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.event.Level;

/** The minimum log level, and whether to use colours. */
public record KwctlLogSettings(Level level, boolean styled) {

    /**
     * Reads the settings. {@code --verbose} has priority over {@code KWCTL_LOG}, and that over {@code RUST_LOG} if it is a
     * plain level.
     */
    public static KwctlLogSettings of(boolean verbose, CommandSession session) {
        var level = verbose
                ? Level.DEBUG
                : session.variable("KWCTL_LOG")
                        .flatMap(KwctlLogSettings::level)
                        .or(() -> session.variable("RUST_LOG").flatMap(KwctlLogSettings::level))
                        .orElse(Level.INFO);
        return new KwctlLogSettings(level, session.terminal().errStyled());
    }

    private static Optional<Level> level(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "trace" -> Optional.of(Level.TRACE);
            case "debug" -> Optional.of(Level.DEBUG);
            case "info" -> Optional.of(Level.INFO);
            case "warn" -> Optional.of(Level.WARN);
            case "error" -> Optional.of(Level.ERROR);
            default -> Optional.empty();
        };
    }
}
