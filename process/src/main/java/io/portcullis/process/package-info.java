/**
 * What every program needs and no program is about: {@code cli} flags and environment, {@code logging}, {@code metrics}
 * and {@code telemetry}, {@code files} and {@code tls} with hot reload, {@code probe} and {@code signals}. Knows nothing
 * of policies.
 */
@NullMarked
package io.portcullis.process;

import org.jspecify.annotations.NullMarked;
