/** The shell scripts of this repository. */
@NullMarked
package io.portcullis.scripts;

import org.jspecify.annotations.NullMarked;
