/** The reference of all commands as a document, written from their specs by {@link io.portcullis.kwctl.reference.ReferenceFormat}. */
@NullMarked
package io.portcullis.kwctl.reference;

import org.jspecify.annotations.NullMarked;
