/**
 * The interface between commands and their environment.
 *
 * <p>A {@link io.portcullis.kwctl.cli.Command} gets its environment from {@link io.portcullis.kwctl.cli.CommandSession} and
 * fails with {@link io.portcullis.kwctl.cli.CommandException}. Tests therefore run every command in the same way as a shell
 * does.
 */
@NullMarked
package io.portcullis.kwctl.cli;

import org.jspecify.annotations.NullMarked;
