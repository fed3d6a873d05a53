package io.portcullis.process.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import java.util.List;
import java.util.logging.LogManager;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Sets up logging for the whole process. Includes libraries that log through {@code java.util.logging}. */
public final class Logging {

    /** Libraries whose log lines below WARN do not help operators. */
    private static final List<String> QUIET =
            List.of("io.helidon", "okhttp3", "io.opentelemetry", "jdk", "sun", "javax");

    private Logging() {}

    /** Configures logging. May be called again; the last call wins. */
    public static void configure(LogSettings settings) {
        var context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        install(context, settings);
        if (!SLF4JBridgeHandler.isInstalled()) {
            LogManager.getLogManager().reset();
            SLF4JBridgeHandler.install();
        }
    }

    static void install(LoggerContext context, LogSettings settings) {
        Encoder<ILoggingEvent> encoder = switch (settings.format()) {
            case TEXT -> new TextEncoder(settings.colours());
            case JSON -> new JsonEncoder();
        };
        encoder.setContext(context);
        encoder.start();
        var appender = new OutputStreamAppender<ILoggingEvent>();
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.setOutputStream(new Borrowed(settings.out()));
        appender.start();
        var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.convertAnSLF4JLevel(settings.level()));
        root.addAppender(appender);
        if (root.getLevel().isGreaterOrEqual(Level.DEBUG)) {
            QUIET.forEach(name -> context.getLogger(name).setLevel(Level.WARN));
        }
    }
}
