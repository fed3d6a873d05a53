package io.portcullis.server.http;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServerReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code GET /served}: the generations that this replica serves, or with {@code ?policy=} those of one policy. Clients need
 * the bearer token. The page reads the token file on every request, so that a new token is valid at once. The controller
 * polls every few seconds and sends the tag of its last answer, so an unchanged answer has no body.
 */
public record EvidencePage(Path tokenFile, Supplier<Evidence> evidence, Supplier<ServerReport> report) {

    private static final Logger log = LoggerFactory.getLogger(EvidencePage.class);
    private static final String SCHEME = "Bearer ";
    private static final int MAX_TOKEN_BYTES = 4096;

    boolean allows(Optional<String> authorization) {
        var presented = authorization
                .filter(header -> header.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
                .map(header -> header.substring(SCHEME.length()).strip());
        if (presented.isEmpty()) {
            return false;
        }
        var expected = token();
        return expected.length > 0
                && MessageDigest.isEqual(expected, presented.get().getBytes(StandardCharsets.UTF_8));
    }

    /** Reads the token. Returns an empty array if there is none; then every request is refused. */
    private byte[] token() {
        try (var in = Files.newInputStream(tokenFile)) {
            return new String(in.readNBytes(MAX_TOKEN_BYTES), StandardCharsets.UTF_8)
                    .strip()
                    .getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            log.atWarn()
                    .addKeyValue("file", tokenFile)
                    .addKeyValue("error", e.toString())
                    .log("cannot read the evidence token, refusing all requests for evidence");
            return new byte[0];
        }
    }

    /**
     * The answer to a request.
     *
     * @param tag the tag of the whole evidence; empty when the request named policies
     * @param body empty when the client already has this evidence
     */
    record Answer(Optional<String> tag, Optional<byte[]> body) {}

    Answer about(Set<String> policyIds) {
        return new Answer(
                Optional.empty(), Optional.of(evidence.get().about(policyIds).write()));
    }

    /** @param clientTag the tag of the client's last answer, from the header {@code If-None-Match} */
    Answer everything(Optional<String> clientTag) {
        var all = evidence.get();
        var tag = '"' + all.digest() + '"';
        return new Answer(
                Optional.of(tag),
                clientTag.filter(tag::equals).isPresent() ? Optional.empty() : Optional.of(all.write()));
    }
}
