package io.portcullis.kwctl.log;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;

/** The logger factory: one logger per name, all with the same sink. */
final class LineLoggers implements ILoggerFactory {

    private final LogSink sink = new LogSink();
    private final ConcurrentMap<String, Logger> loggers = new ConcurrentHashMap<>();

    LogSink sink() {
        return sink;
    }

    @Override
    public Logger getLogger(String name) {
        return loggers.computeIfAbsent(name, key -> new LineLogger(key, sink));
    }
}
