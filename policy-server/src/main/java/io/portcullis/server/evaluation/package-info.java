/**
 * Policies that are served now, and the threads that run them. {@link io.portcullis.server.evaluation.Evaluations} is the
 * entry.
 */
@NullMarked
package io.portcullis.server.evaluation;

import org.jspecify.annotations.NullMarked;
