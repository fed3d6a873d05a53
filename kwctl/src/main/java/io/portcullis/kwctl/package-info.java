/** The {@code kwctl} program for policy authors and operators. */
@NullMarked
package io.portcullis.kwctl;

import org.jspecify.annotations.NullMarked;
