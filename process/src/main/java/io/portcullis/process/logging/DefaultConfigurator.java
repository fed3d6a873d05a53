package io.portcullis.process.logging;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import org.slf4j.event.Level;

/**
 * Configures logback before {@link Logging#configure} is called: warnings as plain text on standard error. Registered as
 * a service, which also avoids logback's search for configuration files at start.
 */
public final class DefaultConfigurator extends ContextAwareBase implements Configurator {

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        Logging.install(
                context, new LogSettings(Level.WARN, LogFormat.TEXT, false, new FileOutputStream(FileDescriptor.err)));
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
