/**
 * Runs policies that speak waPC, the default contract of Kubewarden: the host puts an operation and a payload at the
 * guest's disposal, calls {@code __guest_call} and collects a response or an error. {@link
 * io.portcullis.evaluator.wapc.WapcRuntime} is the entry.
 */
@NullMarked
package io.portcullis.evaluator.wapc;

import org.jspecify.annotations.NullMarked;
