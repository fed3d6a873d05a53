/** Command line flags of the scanner. */
@NullMarked
package io.portcullis.audit.settings;

import org.jspecify.annotations.NullMarked;
