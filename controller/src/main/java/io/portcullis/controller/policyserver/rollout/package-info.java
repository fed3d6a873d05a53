/** How replicas are replaced: the progress of a rollout, the second replica of a single one, and the migration from Deployments. */
@NullMarked
package io.portcullis.controller.policyserver.rollout;

import org.jspecify.annotations.NullMarked;
