package io.portcullis.server.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token that the controller and the other replicas send. The file is read on every request, so that a new token is valid at once.
 */
public record BearerToken(Path file) {

    private static final Logger log = LoggerFactory.getLogger(BearerToken.class);
    private static final String SCHEME = "Bearer ";
    private static final int MAX_TOKEN_BYTES = 4096;

    /** @param authorization the header of the request */
    boolean allows(Optional<String> authorization) {
        var presented = authorization
                .filter(header -> header.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
                .map(header -> header.substring(SCHEME.length()).strip());
        if (presented.isEmpty()) {
            return false;
        }
        var expected = read();
        return expected.length > 0
                && MessageDigest.isEqual(expected, presented.get().getBytes(StandardCharsets.UTF_8));
    }

    /** Reads the token. Returns an empty array if there is none; then every request is refused. */
    private byte[] read() {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MAX_TOKEN_BYTES), StandardCharsets.UTF_8)
                    .strip()
                    .getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            log.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("error", e.toString())
                    .log("cannot read the evidence token, refusing all requests that need it");
            return new byte[0];
        }
    }
}
