/** Which of several controllers acts. */
@NullMarked
package io.portcullis.controller.leader;

import org.jspecify.annotations.NullMarked;
