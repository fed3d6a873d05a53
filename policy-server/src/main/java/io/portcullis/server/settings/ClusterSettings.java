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
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a replica in a cluster is told by its controller.
 *
 * @param namespacedCapabilities what policies of a namespace may ask of the host
 * @param unverifiedPolicies what becomes of policies that a stricter verification config no longer accepts
 * @param evidenceToken file with the word that the controller must say to be told what is served
 */
public record ClusterSettings(
        Identity identity,
        Cache cache,
        List<String> namespacedCapabilities,
        UnverifiedPolicies unverifiedPolicies,
        Optional<Path> evidenceToken) {

    private static final Pattern ORDINAL = Pattern.compile(".*-([0-9]{1,6})");

    /**
     * Which replica of which PolicyServer this is.
     *
     * @param namespace where revisions and the lease live
     */
    public record Identity(String policyServer, String namespace, String podName, String podUid, int replica) {}

    /**
     * The cache that replicas share, or one of this pod alone.
     *
     * @param authorities directory with {@code ca.crt} and, during a rotation, {@code old-ca.crt}
     */
    public record Cache(Path directory, Path signerCertificate, Path signerKey, Path authorities) {}

    /** What becomes of a policy that was initialised before and whose signatures are no longer accepted. */
    public enum UnverifiedPolicies {
        /** It stays enforced, and its status says so. */
        KEEP,
        /** It is unloaded, so that the webhook's failure policy decides. */
        FAIL
    }

    /** Absent: the server runs on its own, from a policies file. */
    static Optional<ClusterSettings> from(Arguments arguments, Map<String, String> environment) {
        var inCluster = environment.containsKey("KUBERNETES_SERVICE_HOST")
                || arguments.find(ServerFlags.POLICY_SERVER_NAME).isPresent();
        if (arguments.get(ServerFlags.STANDALONE) || !inCluster) {
            return Optional.empty();
        }
        refuseIfIncomplete(arguments);
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
                        arguments.get(ServerFlags.CACHE_SIGNER_CERT),
                        arguments.get(ServerFlags.CACHE_SIGNER_KEY),
                        arguments.get(ServerFlags.CACHE_CA)),
                capabilities(arguments.get(ServerFlags.NAMESPACED_CAPABILITIES)),
                UnverifiedPolicies.valueOf(
                        arguments.get(ServerFlags.UNVERIFIED_POLICIES).toUpperCase(Locale.ROOT)),
                arguments.find(ServerFlags.EVIDENCE_TOKEN_FILE)));
    }

    private static void refuseIfIncomplete(Arguments arguments) {
        var missing = new ArrayList<String>();
        for (Flag<?> flag : List.of(
                ServerFlags.POLICY_SERVER_NAME,
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
            throw new UsageException("inside of a cluster the controller sets " + String.join(", ", missing)
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
