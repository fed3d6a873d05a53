/** Asks policy servers for verdicts, and keeps asking while policies move: {@link io.portcullis.audit.evaluation.PolicyCaller}. */
@NullMarked
package io.portcullis.audit.evaluation;

import org.jspecify.annotations.NullMarked;
