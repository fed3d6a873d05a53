/** Which key is looked at next, and when: never twice at once, never lost, never in a hot loop. */
@NullMarked
package io.portcullis.controller.queue;

import org.jspecify.annotations.NullMarked;
