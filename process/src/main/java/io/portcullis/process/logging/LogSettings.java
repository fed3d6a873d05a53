package io.portcullis.process.logging;

import java.io.OutputStream;
import org.slf4j.event.Level;

/** Level, format, colours and destination of the log. */
public record LogSettings(Level level, LogFormat format, boolean colours, OutputStream out) {}
