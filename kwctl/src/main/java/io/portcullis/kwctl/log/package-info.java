/**
 * Writes the log lines of commands and libraries, in the line format of the original kwctl.
 *
 * <p>A small SLF4J provider replaces Logback: a command line needs neither appenders nor configuration files. Logback's
 * start alone takes longer than all the rest of {@code kwctl info}.
 */
@NullMarked
package io.portcullis.kwctl.log;

import org.jspecify.annotations.NullMarked;
