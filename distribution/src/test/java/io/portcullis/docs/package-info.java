/** What the documentation says is so: links lead somewhere, named tests exist, commands work. */
@NullMarked
package io.portcullis.docs;

import org.jspecify.annotations.NullMarked;
