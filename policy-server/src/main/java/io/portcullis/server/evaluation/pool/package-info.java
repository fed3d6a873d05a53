/** The threads that run guests: {@link io.portcullis.server.evaluation.pool.FairPool} shares them fairly among policies. */
@NullMarked
package io.portcullis.server.evaluation.pool;

import org.jspecify.annotations.NullMarked;
