package io.portcullis.api.revision;

import io.portcullis.api.json.CanonicalJson;
import java.math.BigInteger;

/** The name of a revision, and the labels and annotations that stand on it. */
public final class RevisionNames {

    /** By which a policy server selects its revisions. */
    public static final String POLICY_SERVER = "kubewarden.io/policy-server";

    public static final String POLICY_UID = "kubewarden.io/policy-uid";
    public static final String POLICY_GENERATION = "kubewarden.io/policy-generation";
    public static final String POLICY_KIND = "kubewarden.io/policy-kind";

    /** Annotation: no longer referred to; disable it after this instant. */
    public static final String DISABLE_AFTER = "kubewarden.io/disable-after";

    /** Annotation: its policy is gone; delete it after this instant. */
    public static final String DELETE_AFTER = "kubewarden.io/delete-after";

    /** Room that a revision's name needs beyond the policy's unique name. */
    public static final int SUFFIX_LENGTH = 10;

    /** Kubernetes' own alphabet for generated names: no vowels, so no words; nothing that is easily misread. */
    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

    private RevisionNames() {}

    /** The same policy and generation always give the same name, so a repeated create finds the first. */
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
