/** Generates the reference of all commands from their specs; see {@link io.portcullis.kwctl.reference.ReferenceFormat}. */
@NullMarked
package io.portcullis.kwctl.reference;

import org.jspecify.annotations.NullMarked;
