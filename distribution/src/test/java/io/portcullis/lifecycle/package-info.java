/** All programs together, as the charts install them, on a real API server. */
@NullMarked
package io.portcullis.lifecycle;

import org.jspecify.annotations.NullMarked;
