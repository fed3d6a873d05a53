/**
 * Other programs, run for real: {@link io.portcullis.testkit.program.ShellCommand} runs one to its end,
 * {@link io.portcullis.testkit.program.RunningProgram} keeps one alive for a test and can hurt it.
 */
@NullMarked
package io.portcullis.testkit.program;

import org.jspecify.annotations.NullMarked;
