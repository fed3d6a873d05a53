package io.portcullis.process.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import java.nio.charset.StandardCharsets;

/**
 * Encodes log lines in Kubewarden's JSON form: {@code {"timestamp","level","fields":{"message",…},"target","span":{…}}}. {@code span} appears
 * when the thread has a logging context.
 */
final class JsonEncoder extends LineEncoder {

    @Override
    public byte[] encode(ILoggingEvent event) {
        var line = new StringBuilder(240);
        line.append("{\"timestamp\":\"").append(LogTime.format(event.getInstant()));
        line.append("\",\"level\":\"").append(event.getLevel());
        line.append("\",\"fields\":{\"message\":");
        string(line, event.getFormattedMessage());
        var pairs = event.getKeyValuePairs();
        if (pairs != null) {
            pairs.forEach(pair -> {
                line.append(',');
                string(line, pair.key);
                line.append(':');
                value(line, pair.value);
            });
        }
        if (event.getThrowableProxy() != null) {
            line.append(",\"stack\":");
            string(line, ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        line.append("},\"target\":");
        string(line, event.getLoggerName());
        var context = event.getMDCPropertyMap();
        if (!context.isEmpty()) {
            line.append(",\"span\":{");
            var separator = "";
            for (var entry : context.entrySet()) {
                line.append(separator);
                string(line, entry.getKey());
                line.append(':');
                string(line, entry.getValue());
                separator = ",";
            }
            line.append('}');
        }
        return line.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void value(StringBuilder line, Object value) {
        switch (value) {
            case null -> line.append("null");
            case Boolean _, Integer _, Long _, Short _, Byte _ -> line.append(value);
            case Double number when Double.isFinite(number) -> line.append(number);
            default -> string(line, value.toString());
        }
    }

    private static void string(StringBuilder line, String text) {
        line.append('"');
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            switch (c) {
                case '"' -> line.append("\\\"");
                case '\\' -> line.append("\\\\");
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                default -> {
                    if (c < ' ') {
                        line.append("\\u%04x".formatted((int) c));
                    } else {
                        line.append(c);
                    }
                }
            }
        }
        line.append('"');
    }
}
