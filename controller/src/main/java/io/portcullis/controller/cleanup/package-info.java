/** Leaves a cluster as it was before us, without needing a controller that runs. */
@NullMarked
package io.portcullis.controller.cleanup;

import org.jspecify.annotations.NullMarked;
