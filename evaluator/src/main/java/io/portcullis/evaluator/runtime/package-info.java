/**
 * The seam between policies and the ways to run them. {@link io.portcullis.evaluator.runtime.PolicyRuntime} has one
 * implementation per execution mode; nothing outside it knows an ABI.
 */
@NullMarked
package io.portcullis.evaluator.runtime;

import org.jspecify.annotations.NullMarked;
