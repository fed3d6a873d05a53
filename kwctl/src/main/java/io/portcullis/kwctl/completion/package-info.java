/** Generates completion scripts for shells from the specs of the commands; see {@link io.portcullis.kwctl.completion.Shell}. */
@NullMarked
package io.portcullis.kwctl.completion;

import org.jspecify.annotations.NullMarked;
