/** The commands of the program, one class each. An {@code XCommand} declares its arguments and runs the command. */
@NullMarked
package io.portcullis.kwctl.command;

import org.jspecify.annotations.NullMarked;
