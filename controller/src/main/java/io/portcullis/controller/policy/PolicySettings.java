package io.portcullis.controller.policy;

import io.portcullis.api.policy.IdentityScheme;
import java.time.Duration;

/**
 * What an installation chooses about the life of policies.
 *
 * @param namespace where policy servers and revisions live
 * @param drain how long an old generation goes on being served after the webhook left it
 * @param grace how long a replica may be not ready before it no longer holds up others
 * @param historyLimit how many retired revisions are kept where the PolicyServer does not say
 * @param tellsAffected whether PolicyAffected is worked out
 * @param acceptsAllInside whether policy servers accept everything in their own namespace
 */
public record PolicySettings(
        String namespace,
        Duration drain,
        Duration grace,
        int historyLimit,
        IdentityScheme identityScheme,
        boolean tellsAffected,
        boolean acceptsAllInside) {}
