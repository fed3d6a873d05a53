/**
 * Runs policies that use waPC, the default contract of Kubewarden. The host provides an operation and a payload, calls
 * {@code __guest_call} and reads a response or an error. {@link io.portcullis.evaluator.wapc.WapcRuntime} is the entry
 * point.
 */
@NullMarked
package io.portcullis.evaluator.wapc;

import org.jspecify.annotations.NullMarked;
