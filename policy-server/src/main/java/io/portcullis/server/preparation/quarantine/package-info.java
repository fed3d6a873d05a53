/**
 * Digests that failed preparation, kept in memory and in a file: {@link
 * io.portcullis.server.preparation.quarantine.Quarantine}.
 */
@NullMarked
package io.portcullis.server.preparation.quarantine;

import org.jspecify.annotations.NullMarked;
