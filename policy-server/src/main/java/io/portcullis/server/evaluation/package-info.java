/**
 * Evaluates requests: finds the policy ({@code routing}), runs it on a thread ({@code pool}), and records metrics and traces.
 * {@link io.portcullis.server.evaluation.Evaluations} is the entry point.
 */
@NullMarked
package io.portcullis.server.evaluation;

import org.jspecify.annotations.NullMarked;
