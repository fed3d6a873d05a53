package io.portcullis.process.logging;

import java.io.OutputStream;
import org.slf4j.event.Level;

/** How loud, in which shape, in colour or not, and where to. */
public record LogSettings(Level level, LogFormat format, boolean colours, OutputStream out) {}
