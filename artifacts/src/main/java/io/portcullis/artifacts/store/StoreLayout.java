package io.portcullis.artifacts.store;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.PolicyUri;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Maps policy URIs to paths in the store: {@code <scheme>/<host[:port]>/<path…>}. On systems that forbid colons in
 * file names, every part except the scheme is base64url.
 */
enum StoreLayout {
    VERBATIM,
    ENCODED;

    private static final Set<String> SCHEMES = Set.of("registry", "http", "https");

    static StoreLayout ofThisMachine() {
        return System.getProperty("os.name", "").startsWith("Windows") ? ENCODED : VERBATIM;
    }

    static StoreLayout other(StoreLayout layout) {
        return layout == VERBATIM ? ENCODED : VERBATIM;
    }

    /** Returns the parts of the path, scheme first. */
    List<String> parts(PolicyUri uri) {
        var path = switch (uri) {
            case PolicyUri.Registry(var image) ->
                image.registry() + "/"
                        + image.toString().substring(image.registry().length() + 1);
            case PolicyUri.Web web -> web.host() + web.uri().getRawPath();
            case PolicyUri.LocalFile(var file) ->
                throw new ArtifactException(
                        Reason.INVALID_REFERENCE, "a local file is used in place and not stored: " + file);
        };
        var parts = new ArrayList<String>();
        parts.add(scheme(uri));
        for (var part : path.split("/", -1)) {
            if (!part.isEmpty()) {
                parts.add(encode(part));
            }
        }
        return parts;
    }

    private static String scheme(PolicyUri uri) {
        return switch (uri) {
            case PolicyUri.Registry _ -> "registry";
            case PolicyUri.Web web -> web.uri().getScheme();
            case PolicyUri.LocalFile _ -> "file";
        };
    }

    /** Returns the policy URI for these path parts; empty if they do not form a policy path. */
    Optional<PolicyUri> uri(List<String> parts) {
        if (parts.size() < 3 || !SCHEMES.contains(parts.getFirst())) {
            return Optional.empty();
        }
        try {
            var decoded = parts.stream().skip(1).map(this::decode).toList();
            var uri = PolicyUri.parse(parts.getFirst() + "://" + String.join("/", decoded));
            return parts(uri).equals(parts) ? Optional.of(uri) : Optional.empty();
        } catch (IllegalArgumentException | ArtifactException e) {
            return Optional.empty();
        }
    }

    private String encode(String part) {
        return this == VERBATIM
                ? part
                : Base64.getUrlEncoder().withoutPadding().encodeToString(part.getBytes(StandardCharsets.UTF_8));
    }

    private String decode(String part) {
        return this == VERBATIM ? part : new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
    }

    static Path resolve(Path root, List<String> parts) {
        var path = root;
        for (var part : parts) {
            path = path.resolve(part);
        }
        return path;
    }
}
