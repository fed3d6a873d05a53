/** Observes one policy: collects everything that its plan and its status depend on into one value. */
@NullMarked
package io.portcullis.controller.policy.observe;

import org.jspecify.annotations.NullMarked;
