/** Log lines as text or JSON. {@link io.portcullis.process.logging.Logging} is the entry. */
@NullMarked
package io.portcullis.process.logging;

import org.jspecify.annotations.NullMarked;
