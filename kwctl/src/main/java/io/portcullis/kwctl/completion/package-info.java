/** Scripts that complete the command line in a shell, written from the specs of the commands by {@link io.portcullis.kwctl.completion.Shell}. */
@NullMarked
package io.portcullis.kwctl.completion;

import org.jspecify.annotations.NullMarked;
