/** Writes status: gathers facts and evidence, and publishes what core derives from them. */
@NullMarked
package io.portcullis.controller.policy.status;

import org.jspecify.annotations.NullMarked;
