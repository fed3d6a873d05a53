package io.portcullis.server.cluster.serving;

import io.portcullis.server.cluster.revisions.PolicyLoadSpec;
import java.util.Map;

/**
 * Everything that determines how a policy evaluates requests: the policy, and the digests that the leader resolved. Two
 * revisions that are equal in this share one loaded policy, so a change of webhook fields loads nothing.
 *
 * @param digests the digests of its modules, by member
 */
record ResolvedLoadSpec(PolicyLoadSpec.Usable policy, Map<String, String> digests) {

    ResolvedLoadSpec {
        digests = Map.copyOf(digests);
    }
}
