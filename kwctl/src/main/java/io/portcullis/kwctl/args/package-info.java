/**
 * The shape of a command line: {@link io.portcullis.kwctl.args.CommandSpec} says what a command takes, {@link
 * io.portcullis.kwctl.args.ArgumentParser} reads it. Help, usage errors, completions and reference pages are pure functions
 * of the specs.
 *
 * <p>Ours instead of picocli: the texts and rules to reproduce are those of another parser (clap), so that picocli's
 * handlers, help and completion generator would all have to be replaced.
 */
@NullMarked
package io.portcullis.kwctl.args;

import org.jspecify.annotations.NullMarked;
