package io.portcullis.server.http;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServerReport;
import io.portcullis.server.evaluation.PolicyAddress;
import io.portcullis.server.evaluation.RequestOrigin;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** What a path asks for. Encoded slashes are not separators, and no policy has one in its name: they lead nowhere. */
sealed interface ApiRoute {

    record Evaluate(RequestOrigin origin, PolicyAddress address) implements ApiRoute {}

    record ListPolicies() implements ApiRoute {}

    /** Asked by the controller. */
    record Served() implements ApiRoute {}

    /** Asked by the server itself, see {@link ApiServer#SELF_CHECK}; 404 for everybody else. */
    record SelfCheck() implements ApiRoute {}
    /** Asked by the controller: memory and quarantine of this replica. */
    record Report() implements ApiRoute {}

    record ProfileCpu() implements ApiRoute {}

    record ProfileHeap() implements ApiRoute {}

    /** Answered 404. */
    record Nowhere() implements ApiRoute {}

    /** Answered 400. */
    record Undecodable(String message) implements ApiRoute {}

    /** @param path as it was sent, without query */
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
        return new Nowhere();
    }

    private static ApiRoute evaluate(RequestOrigin origin, String rest) {
        var slash = rest.indexOf('/');
        var segment = slash < 0 ? rest : rest.substring(0, slash);
        try {
            var id = segment.indexOf('%') < 0 ? segment : decode(segment);
            if (id.isEmpty() || id.indexOf('/') >= 0) {
                return new Nowhere();
            }
            if (slash < 0) {
                return new Evaluate(origin, PolicyAddress.current(id));
            }
            var generation = rest.substring(slash + 1);
            return generation.matches("[0-9]{1,18}")
                    ? new Evaluate(origin, PolicyAddress.of(id, Long.parseLong(generation)))
                    : new Nowhere();
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
