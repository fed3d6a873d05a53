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
 * The answer of one replica to {@link #PATH}: all that it serves, or that part which was asked for.
 *
 * @param podUID who answers
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Evidence(String podUID, int replica, List<ServedGeneration> policies) {

    /** On the port that webhooks call; the token of the server's Secret as bearer. */
    public static final String PATH = "/served";

    /** In the query: the unique name of a policy, once for each that is asked for; without any, all are told. */
    public static final String POLICY = "policy";

    /** Key in the PolicyServer's TLS Secret, file beside its certificate: who may ask. */
    public static final String TOKEN_KEY = "evidence-token";

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .build();

    public Evidence {
        policies = List.copyOf(policies);
    }

    /** @throws IOException when these are not the words of a replica */
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

    /** Whether the replica serves this revision exactly as it was frozen, with the modules that the leader resolved. */
    public boolean proves(PolicyRevision revision) {
        return policies.contains(ServedGeneration.expectedOf(revision));
    }

    /**
     * Names who says this and all that it says, in whatever order: whoever knows the same has the same digest. An entity
     * tag, so that thousands of policies are not told again and again.
     */
    public String digest() {
        return digest(
                podUID,
                policies.stream().collect(Collectors.groupingBy(ServedGeneration::id)).values().stream()
                        .map(ServedGeneration::digest)
                        .toList());
    }

    /**
     * The same, of what is known.
     *
     * @param policies {@link ServedGeneration#digest} of each policy
     */
    public static String digest(String podUID, Collection<String> policies) {
        return HexFormat.of()
                .formatHex(CanonicalJson.sha256(
                        policies.stream().sorted().collect(Collectors.joining(" ", podUID + " ", ""))));
    }

    /** What it says of these policies. */
    public Evidence about(Set<String> policyIds) {
        return new Evidence(
                podUID,
                replica,
                policies.stream()
                        .filter(served -> policyIds.contains(served.id()))
                        .toList());
    }
}
