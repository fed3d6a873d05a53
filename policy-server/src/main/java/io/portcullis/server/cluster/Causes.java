package io.portcullis.server.cluster;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Words of others on their way into a condition, where everybody may read them: short, one line, without credentials. */
public final class Causes {

    private static final int LONGEST = 1024;
    private static final String MORE = "…";
    private static final Pattern USER_INFO = Pattern.compile("(://)[^/\\s@]+@");
    /** Signed URLs carry their signature there. */
    private static final Pattern QUERY = Pattern.compile("(https?://[^\\s?\"']+)\\?[^\\s\"']*");

    private static final Pattern AUTHORIZATION = Pattern.compile("(?i)\\b(bearer|basic)\\s+[A-Za-z0-9+/=._~-]{6,}");
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");

    private Causes() {}

    public static String tellable(String text) {
        var line = CONTROL.matcher(text).replaceAll(" ").strip();
        var safe = USER_INFO.matcher(line).replaceAll("$1");
        safe = QUERY.matcher(safe).replaceAll("$1");
        safe = AUTHORIZATION.matcher(safe).replaceAll("$1 …");
        return clipped(safe);
    }

    private static String clipped(String text) {
        if (text.getBytes(StandardCharsets.UTF_8).length <= LONGEST) {
            return text;
        }
        var room = LONGEST - MORE.getBytes(StandardCharsets.UTF_8).length;
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
        return text.substring(0, end) + MORE;
    }
}
