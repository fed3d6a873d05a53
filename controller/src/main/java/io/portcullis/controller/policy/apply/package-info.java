/** Applies decisions: the steps of a plan, rollbacks, and the deletion of leftovers. */
@NullMarked
package io.portcullis.controller.policy.apply;

import org.jspecify.annotations.NullMarked;
