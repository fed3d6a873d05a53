package io.portcullis.api.policyserver;

import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policy.PolicyKind;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Names of the objects, labels, annotations and conditions of a PolicyServer. */
public final class PolicyServerNames {

    /** Label of revisions and pods with the name of their server. */
    public static final String POD_LABEL = "kubewarden/policy-server";

    /** Service, StatefulSet, ConfigMap and Secret share this prefix. */
    private static final String PREFIX = "policy-server-";

    /** A Service name has at most 63 characters. */
    public static final int MAX_NAME_LENGTH = 63 - PREFIX.length();

    /** With a longer name the pod label controller-revision-hash is too long, and no pod can be created. */
    private static final int MAX_STATEFUL_SET_LENGTH = 52;

    private static final int HASH_BYTES = 4;

    /** Port of the Service that webhooks call. */
    public static final int SERVICE_PORT = 443;

    /** Condition type of a server that is being deleted. */
    public static final String WEBHOOKS_CLEANED_UP = "PolicyWebhooksCleanedUp";

    /** Annotation of a PolicyServer with the digests of modules that its replicas release from quarantine. */
    public static final String RELEASE_QUARANTINE_ANNOTATION = "kubewarden.io/release-quarantine";

    /** Field manager of the status fields about policies and replicas. */
    public static final String POLICIES_FIELD_MANAGER = "kubewarden-controller/policies";

    private PolicyServerNames() {}

    /** Returns the condition type of a server that lists its policies of a kind. */
    public static String policiesCondition(PolicyKind kind) {
        return "portcullis.io/" + kind.wireName() + "Affected";
    }

    /** Returns the name of the Service that webhooks call. */
    public static String service(String policyServer) {
        return PREFIX + policyServer;
    }

    /** Returns the name of the StatefulSet that runs the replicas. A long name is cut and gets a hash as suffix. */
    public static String statefulSet(String policyServer) {
        var name = service(policyServer);
        if (name.length() <= MAX_STATEFUL_SET_LENGTH) {
            return name;
        }
        var hash = HexFormat.of().formatHex(CanonicalJson.sha256(name), 0, HASH_BYTES);
        return name.substring(0, MAX_STATEFUL_SET_LENGTH - hash.length() - 1) + "-" + hash;
    }

    /** Returns the name of the headless Service that governs the StatefulSet. */
    public static String podsService(String policyServer) {
        return statefulSet(policyServer) + "-pods";
    }

    /** Returns the server whose Service or Lease has this name; empty when the name belongs to no server. */
    public static Optional<String> policyServer(@Nullable String object) {
        return Optional.ofNullable(object)
                .filter(name -> name.startsWith(PREFIX) && name.length() > PREFIX.length())
                .map(name -> name.substring(PREFIX.length()));
    }

    /** Returns the common name of the certificate that signs the server's cache. */
    public static String cacheSigner(String policyServer) {
        return service(policyServer) + ".cache";
    }
}
