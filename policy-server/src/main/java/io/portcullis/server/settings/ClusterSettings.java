package io.portcullis.server.settings;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.process.cli.Arguments;
import io.portcullis.process.cli.Flag;
import io.portcullis.process.cli.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The settings that the controller passes to a replica in a cluster.
 *
 * @param namespacedCapabilities the host capabilities that namespaced policies may use
 * @param unverifiedPolicies the handling of policies that a stricter verification config no longer accepts
 * @param evidenceToken the file with the bearer token that the controller needs to read the evidence
 */
public record ClusterSettings(
        Identity identity,
        Cache cache,
        List<String> namespacedCapabilities,
        UnverifiedPolicies unverifiedPolicies,
        Optional<Path> evidenceToken) {

    private static final Pattern ORDINAL = Pattern.compile(".*-([0-9]{1,6})");

    /**
     * Identifies this replica and its PolicyServer.
     *
     * @param namespace the namespace of the revisions and the lease
     */
    public record Identity(String policyServer, String namespace, String podName, String podUid, int replica) {}

    /**
     * The cache that replicas share, or that belongs to this pod alone.
     *
     * @param isShared whether other replicas use the same directory
     * @param authorities the directory with {@code ca.crt} and, during a rotation, {@code old-ca.crt}
     */
    public record Cache(Path directory, boolean isShared, Path signerCertificate, Path signerKey, Path authorities) {}

    /** The handling of an initialised policy whose signatures are no longer accepted. */
    public enum UnverifiedPolicies {
        /** Keeps the policy enforced, and reports that in its status. */
        KEEP,
        /** Unloads the policy, so that the failure policy of the webhook decides. */
        FAIL
    }

    /**
     * Reads the settings. Empty if the server runs standalone with a policies file: always, unless the controller sets the name of
     * the PolicyServer. A server that was deployed with a policies file in a pod stays standalone.
     */
    static Optional<ClusterSettings> from(Arguments arguments) {
        if (arguments.get(ServerFlags.STANDALONE)
                || arguments.find(ServerFlags.POLICY_SERVER_NAME).isEmpty()) {
            return Optional.empty();
        }
        throwIfIncomplete(arguments);
        var podName = arguments.get(ServerFlags.POD_NAME);
        return Optional.of(new ClusterSettings(
                new Identity(
                        arguments.get(ServerFlags.POLICY_SERVER_NAME),
                        arguments.get(ServerFlags.NAMESPACE),
                        podName,
                        arguments.get(ServerFlags.POD_UID),
                        arguments.find(ServerFlags.REPLICA).orElseGet(() -> ordinal(podName))),
                new Cache(
                        arguments.get(ServerFlags.CACHE_DIR),
                        arguments.get(ServerFlags.CACHE_MODE).equals("shared"),
                        arguments.get(ServerFlags.CACHE_SIGNER_CERT),
                        arguments.get(ServerFlags.CACHE_SIGNER_KEY),
                        arguments.get(ServerFlags.CACHE_CA)),
                capabilities(arguments.get(ServerFlags.NAMESPACED_CAPABILITIES)),
                UnverifiedPolicies.valueOf(
                        arguments.get(ServerFlags.UNVERIFIED_POLICIES).toUpperCase(Locale.ROOT)),
                arguments.find(ServerFlags.EVIDENCE_TOKEN_FILE)));
    }

    private static void throwIfIncomplete(Arguments arguments) {
        var missing = new ArrayList<String>();
        for (Flag<?> flag : List.of(
                ServerFlags.NAMESPACE,
                ServerFlags.POD_NAME,
                ServerFlags.POD_UID,
                ServerFlags.CACHE_DIR,
                ServerFlags.CACHE_SIGNER_CERT,
                ServerFlags.CACHE_SIGNER_KEY,
                ServerFlags.CACHE_CA)) {
            if (arguments.find(flag).isEmpty()) {
                missing.add(flag.variable());
            }
        }
        if (!missing.isEmpty()) {
            throw new UsageException(
                    "with KUBEWARDEN_POLICY_SERVER_NAME the controller also sets " + String.join(", ", missing)
                            + "; to serve a policies file say --standalone or KUBEWARDEN_STANDALONE=true");
        }
    }

    private static int ordinal(String podName) {
        var matcher = ORDINAL.matcher(podName);
        if (!matcher.matches()) {
            throw new UsageException("the pod name '" + podName
                    + "' does not end with an ordinal; say which replica this is with KUBEWARDEN_REPLICA");
        }
        return Integer.parseInt(matcher.group(1));
    }

    private static List<String> capabilities(String json) {
        try {
            return List.of(new ObjectMapper().readValue(json, String[].class));
        } catch (JsonProcessingException | NullPointerException e) {
            throw new UsageException("KUBEWARDEN_NAMESPACED_POLICIES_CAPABILITIES is not a JSON list of strings");
        }
    }
}
