package io.portcullis.api.revision;

import io.portcullis.api.json.CanonicalJson;
import java.math.BigInteger;

/** Name, labels and annotations of revisions. */
public final class RevisionNames {

    /** Label by which a policy server selects its revisions. */
    public static final String POLICY_SERVER = "kubewarden.io/policy-server";

    public static final String POLICY_UID = "kubewarden.io/policy-uid";
    public static final String POLICY_GENERATION = "kubewarden.io/policy-generation";
    public static final String POLICY_KIND = "kubewarden.io/policy-kind";

    /** Annotation: time after which a revision that is no longer a webhook target is disabled. */
    public static final String DISABLE_AFTER = "kubewarden.io/disable-after";

    /** Annotation: time after which a revision of a deleted policy is deleted. */
    public static final String DELETE_AFTER = "kubewarden.io/delete-after";

    /** Length of the random-looking suffix that follows the policy's unique name. */
    public static final int SUFFIX_LENGTH = 10;

    /** Alphabet that Kubernetes uses for generated names. It has no vowels and no characters that are easily confused. */
    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

    private RevisionNames() {}

    /** Returns the name of a revision. It depends only on policy and generation, so that a repeated create is detected. */
    public static String name(String policyId, String policyUid, long generation) {
        var hash = new BigInteger(1, CanonicalJson.sha256(policyUid + "/" + generation));
        var base = BigInteger.valueOf(ALPHABET.length());
        var suffix = new StringBuilder();
        for (int i = 0; i < SUFFIX_LENGTH; i++) {
            var parts = hash.divideAndRemainder(base);
            suffix.append(ALPHABET.charAt(parts[1].intValue()));
            hash = parts[0];
        }
        return policyId + "-" + suffix;
    }
}
