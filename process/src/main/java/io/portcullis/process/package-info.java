/**
 * Code that all programs share: {@code cli} flags and environment, {@code logging}, {@code metrics}
 * and {@code telemetry}, {@code files} and {@code tls} with hot reload, {@code probe} and {@code signals}. It does not depend
 * on policies.
 */
@NullMarked
package io.portcullis.process;

import org.jspecify.annotations.NullMarked;
