/**
 * The parser for the command lines of all programs.
 *
 * <p>{@link io.portcullis.process.args.CommandSpec} declares the arguments of a command and {@link
 * io.portcullis.process.args.ArgumentParser} parses them. Help, usage errors, completions and reference pages are pure
 * functions of the specs.
 *
 * <p>We use no library, because kwctl must reproduce the texts and rules of another parser (clap). The page "All programs parse
 * their command lines with our own parser" in docs/decisions has the measurements.
 */
@NullMarked
package io.portcullis.process.args;

import org.jspecify.annotations.NullMarked;
