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
 * {@code GET /served}: what this replica serves, or with {@code ?policy=} what it serves of that policy, for whoever knows
 * the token. The token is read from its file every time, so that a new one counts at once; the controller asks every few
 * seconds, and names what it knows, so that it need not be told again.
 */
public record EvidencePage(Path tokenFile, Supplier<Evidence> evidence, Supplier<ServerReport> report) {

    private static final Logger log = LoggerFactory.getLogger(EvidencePage.class);
    private static final String SCHEME = "Bearer ";
    private static final int LONGEST_TOKEN = 4096;

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

    /** Empty when there is none, and then nobody is let in. */
    private byte[] token() {
        try (var in = Files.newInputStream(tokenFile)) {
            return new String(in.readNBytes(LONGEST_TOKEN), StandardCharsets.UTF_8)
                    .strip()
                    .getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            log.atWarn()
                    .addKeyValue("file", tokenFile)
                    .addKeyValue("error", e.toString())
                    .log("nobody can ask what is served: the token cannot be read");
            return new byte[0];
        }
    }

    /**
     * What is answered.
     *
     * @param tag of everything that is served; absent when only a part was asked for
     * @param body absent when whoever asks knows it
     */
    record Answer(Optional<String> tag, Optional<byte[]> body) {}

    Answer about(Set<String> policyIds) {
        return new Answer(
                Optional.empty(), Optional.of(evidence.get().about(policyIds).write()));
    }

    /** @param known the tag of what the asker knows, as the header {@code If-None-Match} has it */
    Answer everything(Optional<String> known) {
        var all = evidence.get();
        var tag = '"' + all.digest() + '"';
        return new Answer(
                Optional.of(tag), known.filter(tag::equals).isPresent() ? Optional.empty() : Optional.of(all.write()));
    }
}
