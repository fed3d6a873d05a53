package io.portcullis.api.evidence;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.revision.PolicyRevision;
import java.io.IOException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The response of one replica to {@link #PATH}: all policies that the replica serves, or only the requested ones.
 *
 * @param podUID UID of the pod that responds
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Evidence(String podUID, int replica, List<ServedGeneration> policies) {

    /** Path on the webhook port. The request carries the token from the server's Secret as bearer token. */
    public static final String PATH = "/served";

    /** Query parameter with the unique name of a policy, repeatable. Without it the response contains all policies. */
    public static final String POLICY = "policy";

    /** Key of the bearer token in the PolicyServer's TLS Secret, and name of the file beside its certificate. */
    public static final String TOKEN_KEY = "evidence-token";

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .build();

    public Evidence {
        policies = List.copyOf(policies);
    }

    /** @throws IOException when the JSON is not the response of a replica */
    public static Evidence read(byte[] json) throws IOException {
        var evidence = MAPPER.readValue(json, Evidence.class);
        if (evidence == null) {
            throw new IOException("not an answer of a policy server");
        }
        return evidence;
    }

    public byte[] write() {
        try {
            return MAPPER.writeValueAsBytes(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("strings and numbers can always be written", e);
        }
    }

    /** Returns whether the replica serves exactly this frozen revision, with the modules that the leader resolved. */
    public boolean proves(PolicyRevision revision) {
        return policies.contains(ServedGeneration.expectedOf(revision));
    }

    /**
     * Returns a digest of the pod and of all policies, independent of their order. It is the entity tag of the response, so
     * that a replica does not send thousands of unchanged policies again.
     */
    public String digest() {
        return digest(
                podUID,
                policies.stream().collect(Collectors.groupingBy(ServedGeneration::id)).values().stream()
                        .map(ServedGeneration::digest)
                        .toList());
    }

    /**
     * Returns the same digest, computed from the digests of the policies.
     *
     * @param policies {@link ServedGeneration#digest} of each policy
     */
    public static String digest(String podUID, Collection<String> policies) {
        return HexFormat.of()
                .formatHex(CanonicalJson.sha256(
                        policies.stream().sorted().collect(Collectors.joining(" ", podUID + " ", ""))));
    }

    /** Returns the part of this evidence that belongs to the given policies. */
    public Evidence about(Set<String> policyIds) {
        return new Evidence(
                podUID,
                replica,
                policies.stream()
                        .filter(served -> policyIds.contains(served.id()))
                        .toList());
    }
}
