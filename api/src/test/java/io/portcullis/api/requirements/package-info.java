/** Checks {@code docs/requirements.md} against the source tree. */
@NullMarked
package io.portcullis.api.requirements;

import org.jspecify.annotations.NullMarked;
