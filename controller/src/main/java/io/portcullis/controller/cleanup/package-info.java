/** Removes our objects from a cluster. Works without a running controller. */
@NullMarked
package io.portcullis.controller.cleanup;

import org.jspecify.annotations.NullMarked;
