package io.portcullis.server.cluster.serving;

import io.portcullis.api.policies.PolicyEntry;
import java.util.Map;

/**
 * All that decides how a policy judges. Two revisions with equal content are one loaded policy: a change of webhook fields
 * costs nothing.
 *
 * @param digests of its modules, by member
 */
record Content(String policyId, PolicyEntry entry, Map<String, String> digests) {

    Content {
        digests = Map.copyOf(digests);
    }
}
