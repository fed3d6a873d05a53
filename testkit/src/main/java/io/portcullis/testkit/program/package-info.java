/**
 * Real processes for tests. {@link io.portcullis.testkit.program.ShellCommand} runs a program to its end. {@link
 * io.portcullis.testkit.program.RunningProgram} keeps a program alive during a test and injects faults into it.
 */
@NullMarked
package io.portcullis.testkit.program;

import org.jspecify.annotations.NullMarked;
