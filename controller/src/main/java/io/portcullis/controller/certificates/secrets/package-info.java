/** Reads and writes the Secrets that hold certificates. */
@NullMarked
package io.portcullis.controller.certificates.secrets;

import org.jspecify.annotations.NullMarked;
