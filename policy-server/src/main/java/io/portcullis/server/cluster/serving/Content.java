package io.portcullis.server.cluster.serving;

import io.portcullis.api.policies.PolicyEntry;
import java.util.Map;

/**
 * Everything that determines how a policy evaluates requests. Two revisions with equal content share one loaded policy, so a
 * change of webhook fields loads nothing.
 *
 * @param digests the digests of its modules, by member
 */
record Content(String policyId, PolicyEntry entry, Map<String, String> digests) {

    Content {
        digests = Map.copyOf(digests);
    }
}
