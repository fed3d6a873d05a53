package io.portcullis.api.evidence;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.List;

/**
 * The answer of one replica to {@link #PATH}: its memory and the modules that it does not prepare now. Lists and texts are
 * bounded, whatever the replica sends.
 *
 * @param memoryLimitBytes of the container
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ServerReport(
        int replica, long memoryLimitBytes, List<MemoryPart> memory, List<QuarantinedModule> quarantined) {

    /** On the port that webhooks call; the token of the server's Secret as bearer. */
    public static final String PATH = "/served/server";

    private static final int MAX_PARTS = 16;
    private static final int MAX_MODULES = 20;
    private static final int MAX_TEXT = 512;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .build();

    /** What one part of the server may use and uses. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record MemoryPart(String name, long limitBytes, long usedBytes) {

        public MemoryPart {
            name = shortened(name);
        }
    }

    /**
     * A module that is not prepared before some time.
     *
     * @param digest with {@code sha256:} before it
     * @param until in RFC 3339
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

    /** @throws IOException when this is not the report of a replica */
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
