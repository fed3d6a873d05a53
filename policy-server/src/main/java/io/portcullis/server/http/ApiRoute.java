package io.portcullis.server.http;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServerReport;
import io.portcullis.server.cluster.peers.PeerModules;
import io.portcullis.server.evaluation.RequestOrigin;
import io.portcullis.server.evaluation.routing.PolicyAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The route of a path. An encoded slash is not a separator and no policy name contains a slash, so such a path is not found.
 */
sealed interface ApiRoute {

    record Evaluate(RequestOrigin origin, PolicyAddress address) implements ApiRoute {}

    record ListPolicies() implements ApiRoute {}

    /** The generations that this replica serves; for the controller. */
    record Served() implements ApiRoute {}

    /** The self-check of this server, see {@link ApiServer#SELF_CHECK}; other clients get 404. */
    record SelfCheck() implements ApiRoute {}

    /** Memory and quarantine of this replica; for the controller. */
    record Report() implements ApiRoute {}

    /**
     * A module from the cache; for other replicas.
     *
     * @param digest {@code sha256:<hex>}
     */
    record Module(String digest) implements ApiRoute {}

    record ProfileCpu() implements ApiRoute {}

    record ProfileHeap() implements ApiRoute {}

    /** Answered 404. */
    record NotFound() implements ApiRoute {}

    /** Answered 400. */
    record Undecodable(String message) implements ApiRoute {}

    /** @param path the path as the client sent it, without the query */
    static ApiRoute parse(String path) {
        return switch (path) {
            case "/policies" -> new ListPolicies();
            case Evidence.PATH -> new Served();
            case ApiServer.SELF_CHECK -> new SelfCheck();
            case ServerReport.PATH -> new Report();
            case "/debug/pprof/cpu" -> new ProfileCpu();
            case "/debug/pprof/heap" -> new ProfileHeap();
            default -> parsePolicy(path);
        };
    }

    private static ApiRoute parsePolicy(String path) {
        if (path.startsWith("/validate/")) {
            return evaluate(RequestOrigin.VALIDATE, path.substring("/validate/".length()));
        }
        if (path.startsWith("/audit/")) {
            return evaluate(RequestOrigin.AUDIT, path.substring("/audit/".length()));
        }
        if (path.startsWith("/validate_raw/")) {
            return evaluate(RequestOrigin.VALIDATE_RAW, path.substring("/validate_raw/".length()));
        }
        if (path.startsWith(PeerModules.PATH)) {
            var digest = path.substring(PeerModules.PATH.length());
            return digest.matches("[0-9a-f]{64}") ? new Module("sha256:" + digest) : new NotFound();
        }
        return new NotFound();
    }

    private static ApiRoute evaluate(RequestOrigin origin, String rest) {
        var slash = rest.indexOf('/');
        var segment = slash < 0 ? rest : rest.substring(0, slash);
        try {
            var id = segment.indexOf('%') < 0 ? segment : decode(segment);
            if (id.isEmpty() || id.indexOf('/') >= 0) {
                return new NotFound();
            }
            if (slash < 0) {
                return new Evaluate(origin, PolicyAddress.current(id));
            }
            var generation = rest.substring(slash + 1);
            return generation.matches("[0-9]{1,18}")
                    ? new Evaluate(origin, PolicyAddress.of(id, Long.parseLong(generation)))
                    : new NotFound();
        } catch (CharacterCodingException | IllegalArgumentException e) {
            return new Undecodable("Invalid URL: Invalid UTF-8 in `policy_id`");
        }
    }

    private static String decode(String segment) throws CharacterCodingException {
        var encoded = segment.getBytes(StandardCharsets.UTF_8);
        var decoded = ByteBuffer.allocate(encoded.length);
        for (var i = 0; i < encoded.length; i++) {
            if (encoded[i] == '%' && i + 2 < encoded.length) {
                decoded.put((byte) HexFormat.fromHexDigits(segment, i + 1, i + 3));
                i += 2;
            } else {
                decoded.put(encoded[i]);
            }
        }
        return StandardCharsets.UTF_8.newDecoder().decode(decoded.flip()).toString();
    }
}
