/**
 * Writes what commands and libraries log, in the line format of the original. A small provider for SLF4J instead of Logback:
 * a command line needs neither appenders nor configuration files, and Logback's start alone takes longer than all the
 * rest of {@code kwctl info}.
 */
@NullMarked
package io.portcullis.kwctl.log;

import org.jspecify.annotations.NullMarked;
