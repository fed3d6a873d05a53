package io.portcullis.process.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import java.nio.charset.StandardCharsets;

/**
 * Kubewarden's text form: {@code 2026-11-15T20:45:19.123456Z  INFO io.portcullis.server: policy loaded policy_id=priv}.
 * Line breaks inside values are escaped, so that no policy can forge a line.
 */
final class TextEncoder extends LineEncoder {

    private static final String DIM = "\u001b[2m";
    private static final String ITALIC = "\u001b[3m";
    private static final String RESET = "\u001b[0m";

    private final boolean colours;

    TextEncoder(boolean colours) {
        this.colours = colours;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        var line = new StringBuilder(160);
        styled(line, DIM, LogTime.format(event.getInstant()));
        line.append(' ');
        styled(line, colourOf(event.getLevel()), "%5s".formatted(event.getLevel()));
        line.append(' ');
        styled(line, DIM, event.getLoggerName() + ":");
        line.append(' ');
        escape(line, event.getFormattedMessage());
        var pairs = event.getKeyValuePairs();
        if (pairs != null) {
            pairs.forEach(pair -> append(line, pair.key, pair.value));
        }
        event.getMDCPropertyMap().forEach((key, value) -> append(line, key, value));
        line.append('\n');
        if (event.getThrowableProxy() != null) {
            line.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        return line.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void append(StringBuilder line, String key, Object value) {
        line.append(' ');
        styled(line, ITALIC, key);
        line.append('=');
        var text = String.valueOf(value);
        var plain = !text.isEmpty() && text.chars().allMatch(c -> c > ' ' && c != '"' && c != '=');
        if (plain) {
            line.append(text);
        } else {
            line.append('"');
            escape(line, text.replace("\\", "\\\\").replace("\"", "\\\""));
            line.append('"');
        }
    }

    private static void escape(StringBuilder line, String text) {
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            switch (c) {
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                default -> line.append(c < ' ' || c == 0x7f ? '?' : c);
            }
        }
    }

    private void styled(StringBuilder line, String style, String text) {
        if (colours) {
            line.append(style).append(text).append(RESET);
        } else {
            line.append(text);
        }
    }

    private static String colourOf(Level level) {
        return switch (level.toInt()) {
            case Level.ERROR_INT -> "\u001b[31m";
            case Level.WARN_INT -> "\u001b[33m";
            case Level.INFO_INT -> "\u001b[32m";
            case Level.DEBUG_INT -> "\u001b[34m";
            default -> "\u001b[35m";
        };
    }
}
