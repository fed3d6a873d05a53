/** Waiting times that survive a clock that is set forward or back. */
@NullMarked
package io.portcullis.api.time;

import org.jspecify.annotations.NullMarked;
