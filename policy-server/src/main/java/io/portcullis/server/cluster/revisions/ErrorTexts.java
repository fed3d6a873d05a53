package io.portcullis.server.cluster.revisions;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Sanitises third-party error text for use in a condition. The result is one short line without credentials, because every
 * user who can read the object can read its conditions.
 */
public final class ErrorTexts {

    private static final int MAX_BYTES = 1024;
    private static final String ELLIPSIS = "…";
    private static final Pattern USER_INFO = Pattern.compile("(://)[^/\\s@]+@");
    /** The query of a signed URL contains its signature. */
    private static final Pattern QUERY = Pattern.compile("(https?://[^\\s?\"']+)\\?[^\\s\"']*");

    private static final Pattern AUTHORIZATION = Pattern.compile("(?i)\\b(bearer|basic)\\s+[A-Za-z0-9+/=._~-]{6,}");
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");

    private ErrorTexts() {}

    public static String sanitize(String text) {
        var line = CONTROL.matcher(text).replaceAll(" ").strip();
        var safe = USER_INFO.matcher(line).replaceAll("$1");
        safe = QUERY.matcher(safe).replaceAll("$1");
        safe = AUTHORIZATION.matcher(safe).replaceAll("$1 …");
        return truncate(safe);
    }

    private static String truncate(String text) {
        if (text.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES) {
            return text;
        }
        var room = MAX_BYTES - ELLIPSIS.getBytes(StandardCharsets.UTF_8).length;
        var end = 0;
        var bytes = 0;
        while (end < text.length()) {
            var point = text.codePointAt(end);
            var size = Character.toString(point).getBytes(StandardCharsets.UTF_8).length;
            if (bytes + size > room) {
                break;
            }
            bytes += size;
            end += Character.charCount(point);
        }
        return text.substring(0, end) + ELLIPSIS;
    }
}
