package io.portcullis.artifacts.source;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The location of a policy, normalised so that equal locations are equal values. */
public sealed interface PolicyUri {

    /** An artefact in an OCI registry. */
    record Registry(ImageReference image) implements PolicyUri {
        @Override
        public String toString() {
            return "registry://" + image;
        }
    }

    /** A file on a plain web server. */
    record Web(URI uri) implements PolicyUri {

        /** Returns {@code host[:port]} in lower case, without the scheme's default port. */
        public String host() {
            return uri.getRawAuthority();
        }

        @Override
        public String toString() {
            return uri.toString();
        }
    }

    /** A local file, used in place. */
    record LocalFile(Path path) implements PolicyUri {
        @Override
        public String toString() {
            return "file://" + path;
        }
    }

    /** Path segments that leave a directory after a server or a file system decodes them. */
    Pattern CLIMBING = Pattern.compile("(?:\\.|%2e){1,2}", Pattern.CASE_INSENSITIVE);

    /** Encoded path separators and terminators. */
    Pattern HIDDEN_SEPARATOR = Pattern.compile(".*(?:%2f|%5c|%00|\\\\).*", Pattern.CASE_INSENSITIVE);

    /** Parses user input; text without a scheme is an image reference. */
    static PolicyUri parse(String text) {
        var trimmed = text.strip();
        var separator = trimmed.indexOf("://");
        if (separator < 0) {
            return new Registry(ImageReference.parse(trimmed));
        }
        var rest = trimmed.substring(separator + 3);
        return switch (trimmed.substring(0, separator)) {
            case "registry" -> new Registry(ImageReference.parse(rest));
            case "http", "https" -> web(trimmed);
            case "file" -> file(rest);
            case String scheme -> throw new ArtifactException(Reason.INVALID_REFERENCE, "unknown scheme: " + scheme);
        };
    }

    private static Web web(String text) {
        try {
            var uri = new URI(text.replace(" ", "%20")).normalize();
            if (uri.getHost() == null) {
                throw invalid("the URL names no host", text);
            }
            if (uri.getRawUserInfo() != null) {
                throw new ArtifactException(
                        Reason.INVALID_REFERENCE,
                        "the URL for " + uri.getHost() + " carries credentials; put them into the docker config");
            }
            for (var segment : segments(uri)) {
                if (CLIMBING.matcher(segment).matches()
                        || HIDDEN_SEPARATOR.matcher(segment).matches()) {
                    throw invalid("the path leaves its place", text);
                }
            }
            if (segments(uri).getLast().isEmpty()) {
                throw invalid("the URL names no file", text);
            }
            return new Web(new URI(uri.getScheme() + "://" + authority(uri) + uri.getRawPath()
                    + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery())));
        } catch (URISyntaxException e) {
            throw invalid(e.getReason(), text);
        }
    }

    private static List<String> segments(URI uri) {
        return List.of(uri.getRawPath().split("/", -1));
    }

    private static String authority(URI uri) {
        var defaultPort = uri.getScheme().equals("https") ? 443 : 80;
        var host = uri.getHost().toLowerCase(Locale.ROOT);
        return uri.getPort() < 0 || uri.getPort() == defaultPort ? host : host + ":" + uri.getPort();
    }

    private static LocalFile file(String rest) {
        if (!rest.startsWith("/")) {
            throw invalid("cannot convert URL to path: write file:///absolute/path", "file://" + rest);
        }
        try {
            // In a path, '+' is a literal character.
            var path = URLDecoder.decode(rest.replace("+", "%2B"), StandardCharsets.UTF_8);
            return new LocalFile(Path.of(path).normalize());
        } catch (IllegalArgumentException e) {
            throw invalid("cannot convert URL to path", "file://" + rest);
        }
    }

    private static ArtifactException invalid(String why, String text) {
        return new ArtifactException(Reason.INVALID_REFERENCE, "invalid policy URL \"" + text + "\": " + why);
    }
}
