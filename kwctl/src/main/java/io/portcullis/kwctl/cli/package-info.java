/**
 * What a {@link io.portcullis.kwctl.cli.Command} sees of the world ({@link io.portcullis.kwctl.cli.CommandSession}) and how it fails
 * ({@link io.portcullis.kwctl.cli.CommandException}), so that every command runs in a test as it runs in a shell.
 */
@NullMarked
package io.portcullis.kwctl.cli;

import org.jspecify.annotations.NullMarked;
