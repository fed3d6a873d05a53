/**
 * The policies that the server serves now, and the threads that run them.
 * {@link io.portcullis.server.evaluation.Evaluations} is the entry point.
 */
@NullMarked
package io.portcullis.server.evaluation;

import org.jspecify.annotations.NullMarked;
