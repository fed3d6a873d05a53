package io.portcullis.api.policyserver;

import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policy.PolicyKind;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Names of what belongs to a PolicyServer. */
public final class PolicyServerNames {

    /** Label of revisions and pods: the server they belong to. */
    public static final String POD_LABEL = "kubewarden/policy-server";

    /** Service, StatefulSet, ConfigMap and Secret share this prefix. */
    private static final String PREFIX = "policy-server-";

    /** A Service name has at most 63 characters. */
    public static final int MAX_NAME_LENGTH = 63 - PREFIX.length();

    /** Above it the label controller-revision-hash of pods would be too long, and no pod could be made. */
    private static final int LONGEST_STATEFUL_SET = 52;

    private static final int HASH_BYTES = 4;

    /** Port of the Service that webhooks call. */
    public static final int SERVICE_PORT = 443;

    /** The condition of a server that is being deleted. */
    public static final String WEBHOOKS_CLEANED_UP = "PolicyWebhooksCleanedUp";

    /** Annotation of a PolicyServer: digests of modules that its replicas release from quarantine. */
    public static final String RELEASE_QUARANTINE_ANNOTATION = "kubewarden.io/release-quarantine";

    /** Field manager of the part of the status that speaks of policies and replicas. */
    public static final String POLICIES_FIELD_MANAGER = "kubewarden-controller/policies";

    private PolicyServerNames() {}

    /** The condition of a server that says which policies of a kind it serves. */
    public static String policiesCondition(PolicyKind kind) {
        return "portcullis.io/" + kind.wireName() + "Affected";
    }

    /** The Service that webhooks call. */
    public static String service(String policyServer) {
        return PREFIX + policyServer;
    }

    /** The StatefulSet that runs the replicas; a long name is cut, and told from others by a hash. */
    public static String statefulSet(String policyServer) {
        var name = service(policyServer);
        if (name.length() <= LONGEST_STATEFUL_SET) {
            return name;
        }
        var hash = HexFormat.of().formatHex(CanonicalJson.sha256(name), 0, HASH_BYTES);
        return name.substring(0, LONGEST_STATEFUL_SET - hash.length() - 1) + "-" + hash;
    }

    /** The headless Service that governs the StatefulSet. */
    public static String podsService(String policyServer) {
        return statefulSet(policyServer) + "-pods";
    }

    /** The server whose Service or Lease has this name; empty when it is none's. */
    public static Optional<String> policyServer(@Nullable String object) {
        return Optional.ofNullable(object)
                .filter(name -> name.startsWith(PREFIX) && name.length() > PREFIX.length())
                .map(name -> name.substring(PREFIX.length()));
    }

    /** Common name of the certificate that signs the server's cache. */
    public static String cacheSigner(String policyServer) {
        return service(policyServer) + ".cache";
    }
}
