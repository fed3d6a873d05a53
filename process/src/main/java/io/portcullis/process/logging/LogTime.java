package io.portcullis.process.logging;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Formats UTC times with microseconds, always with the same width. */
final class LogTime {

    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private LogTime() {}

    static String format(Instant instant) {
        return FORMAT.format(instant);
    }
}
