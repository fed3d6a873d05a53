/** The verbs of the program, one class each: {@code XCommand} declares what it takes and does it, with help from the other packages. */
@NullMarked
package io.portcullis.kwctl.command;

import org.jspecify.annotations.NullMarked;
