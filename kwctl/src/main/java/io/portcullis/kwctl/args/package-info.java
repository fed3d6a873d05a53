/**
 * The parser for command lines.
 *
 * <p>{@link io.portcullis.kwctl.args.CommandSpec} declares the arguments of a command and {@link
 * io.portcullis.kwctl.args.ArgumentParser} parses them. Help, usage errors, completions and reference pages are pure
 * functions of the specs.
 *
 * <p>We do not use picocli, because kwctl must reproduce the texts and rules of another parser (clap). We would have to
 * replace picocli's handlers, help and completion generator.
 */
@NullMarked
package io.portcullis.kwctl.args;

import org.jspecify.annotations.NullMarked;
