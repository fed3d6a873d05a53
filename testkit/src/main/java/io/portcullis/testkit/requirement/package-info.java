/** Skips or fails tests whose requirements are missing: {@link io.portcullis.testkit.requirement.Requirement}. */
@NullMarked
package io.portcullis.testkit.requirement;

import org.jspecify.annotations.NullMarked;
