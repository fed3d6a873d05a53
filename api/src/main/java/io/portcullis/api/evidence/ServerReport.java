package io.portcullis.api.evidence;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.List;

/**
 * The response of one replica to {@link #PATH}: its memory use and its quarantined modules. The constructor limits the
 * length of lists and texts, because the replica is not trusted.
 *
 * @param memoryLimitBytes memory limit of the container
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ServerReport(
        int replica, long memoryLimitBytes, List<MemoryPart> memory, List<QuarantinedModule> quarantined) {

    /** Path on the webhook port. The request carries the token from the server's Secret as bearer token. */
    public static final String PATH = "/served/server";

    private static final int MAX_PARTS = 16;
    private static final int MAX_MODULES = 20;
    private static final int MAX_TEXT = 512;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .build();

    /** Memory limit and use of one part of the server. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record MemoryPart(String name, long limitBytes, long usedBytes) {

        public MemoryPart {
            name = shortened(name);
        }
    }

    /**
     * A module that the replica does not prepare before a point in time.
     *
     * @param digest with the prefix {@code sha256:}
     * @param until in RFC 3339 format
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record QuarantinedModule(String digest, String until, String reason) {

        public QuarantinedModule {
            digest = shortened(digest);
            until = shortened(until);
            reason = shortened(reason);
        }
    }

    public ServerReport {
        memory = memory.stream().limit(MAX_PARTS).toList();
        quarantined = quarantined.stream().limit(MAX_MODULES).toList();
    }

    private static String shortened(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    }

    /** @throws IOException when the JSON is not the report of a replica */
    public static ServerReport read(byte[] json) throws IOException {
        var report = MAPPER.readValue(json, ServerReport.class);
        if (report == null) {
            throw new IOException("not a report of a policy server");
        }
        return report;
    }

    public byte[] write() {
        try {
            return MAPPER.writeValueAsBytes(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("strings and numbers can always be written", e);
        }
    }
}
