/** Schedules reconcile calls by key: never two calls at once for one key, no lost events, no hot loops. */
@NullMarked
package io.portcullis.controller.queue;

import org.jspecify.annotations.NullMarked;
