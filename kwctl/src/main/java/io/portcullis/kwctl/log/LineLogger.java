package io.portcullis.kwctl.log;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

/** A logger that writes its lines directly to the {@link LogSink}. */
final class LineLogger extends LegacyAbstractLogger implements LoggingEventAware {

    private final transient LogSink sink;

    LineLogger(String name, LogSink sink) {
        this.name = name;
        this.sink = sink;
    }

    @Override
    public void log(LoggingEvent event) {
        var arguments = event.getArgumentArray();
        var message = arguments == null
                ? event.getMessage()
                : MessageFormatter.basicArrayFormat(event.getMessage(), arguments);
        var fields = event.getKeyValuePairs();
        write(event.getLevel(), message, fields == null ? List.of() : fields, event.getThrowable());
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String message,
            @Nullable Object @Nullable [] arguments,
            @Nullable Throwable throwable) {
        write(level, MessageFormatter.basicArrayFormat(message, arguments), List.of(), throwable);
    }

    private void write(Level level, String message, List<KeyValuePair> fields, @Nullable Throwable throwable) {
        sink.write(level, name, throwable == null ? message : message + ": " + throwable, fields);
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    public boolean isTraceEnabled() {
        return sink.writes(Level.TRACE, name);
    }

    @Override
    public boolean isDebugEnabled() {
        return sink.writes(Level.DEBUG, name);
    }

    @Override
    public boolean isInfoEnabled() {
        return sink.writes(Level.INFO, name);
    }

    @Override
    public boolean isWarnEnabled() {
        return sink.writes(Level.WARN, name);
    }

    @Override
    public boolean isErrorEnabled() {
        return sink.writes(Level.ERROR, name);
    }
}
