package io.portcullis.server.http;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServerReport;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * {@code GET /served}: the generations that this replica serves, or with {@code ?policy=} those of one policy. Clients need
 * the bearer token. The controller polls every few seconds and sends the tag of its last answer, so an unchanged answer has no
 * body.
 */
public record EvidencePage(BearerToken token, Supplier<Evidence> evidence, Supplier<ServerReport> report) {

    boolean allows(Optional<String> authorization) {
        return token.allows(authorization);
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
