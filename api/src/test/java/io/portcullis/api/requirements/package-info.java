/** Keeps {@code docs/requirements.md} true. */
@NullMarked
package io.portcullis.api.requirements;

import org.jspecify.annotations.NullMarked;
