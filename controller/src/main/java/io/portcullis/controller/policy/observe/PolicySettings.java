package io.portcullis.controller.policy.observe;

import io.portcullis.api.policy.IdentityScheme;
import java.time.Duration;

/**
 * The installation's settings for the policy lifecycle.
 *
 * @param namespace the namespace of policy servers and revisions
 * @param drain how long an old generation is still served after the webhook has moved on
 * @param grace how long a replica may be not ready before rollouts stop waiting for it
 * @param historyLimit how many retired revisions are kept when the PolicyServer sets no limit
 * @param reportsAffected whether PolicyAffected is computed
 * @param acceptsAllInside whether policy servers accept everything in their own namespace
 */
public record PolicySettings(
        String namespace,
        Duration drain,
        Duration grace,
        int historyLimit,
        IdentityScheme identityScheme,
        boolean reportsAffected,
        boolean acceptsAllInside) {}
