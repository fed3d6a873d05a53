/** Elects the one controller that acts. */
@NullMarked
package io.portcullis.controller.leader;

import org.jspecify.annotations.NullMarked;
