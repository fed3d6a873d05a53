/**
 * The interface between policies and the execution modes. {@link io.portcullis.evaluator.runtime.PolicyRuntime} has one
 * implementation per execution mode; no code outside of it depends on an ABI.
 */
@NullMarked
package io.portcullis.evaluator.runtime;

import org.jspecify.annotations.NullMarked;
