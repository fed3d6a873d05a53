package io.portcullis.core.tenancy;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Source of a module, in the normal form that tenancy rules compare.
 *
 * @param scheme {@code registry}, {@code https}, {@code http} or {@code file}
 * @param host lower case, with the port unless it is the default port; empty for files
 * @param path repository without tag and digest, or path of the URL; without a leading slash
 * @param version tag and digest of an image, or query of a URL, as written
 */
public record ModuleReference(String scheme, String host, String path, String version) {

    private static final String DOCKER_HUB = "docker.io";
    private static final Pattern REGISTRY = Pattern.compile("(?:[a-z0-9.-]+|\\[[0-9a-f:]+])(?::[0-9]{1,5})?");
    private static final String COMPONENT = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
    private static final Pattern REPOSITORY = Pattern.compile(COMPONENT + "(?:/" + COMPONENT + ")*");
    private static final Pattern VERSION =
            Pattern.compile("(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]+)?");
    /** Path segments that leave their directory after a server decodes them. */
    private static final Pattern PARENT_SEGMENT = Pattern.compile("(?:\\.|%2e){1,2}", Pattern.CASE_INSENSITIVE);

    private static final Pattern ENCODED_SEPARATOR =
            Pattern.compile(".*(?:%2f|%5c|%00|\\\\).*", Pattern.CASE_INSENSITIVE);

    /** Parses the module of a policy. Without a scheme it is an image. Returns empty when the reference is invalid. */
    public static Optional<ModuleReference> parse(String text) {
        var trimmed = text.strip();
        int separator = trimmed.indexOf("://");
        if (separator < 0) {
            return image(trimmed);
        }
        var rest = trimmed.substring(separator + 3);
        return switch (trimmed.substring(0, separator)) {
            case "registry" -> image(rest);
            case "https", "http" -> web(trimmed);
            case "file" -> Optional.of(new ModuleReference("file", "", rest, ""));
            default -> Optional.empty();
        };
    }

    private static Optional<ModuleReference> image(String text) {
        int at = text.indexOf('@');
        var name = at < 0 ? text : text.substring(0, at);
        int colon = name.lastIndexOf(':');
        var path = colon > name.lastIndexOf('/') ? name.substring(0, colon) : name;
        int slash = path.indexOf('/');
        var first = slash < 0 ? "" : path.substring(0, slash);
        boolean hasRegistry = first.contains(".") || first.contains(":") || first.equals("localhost");
        return registry(
                hasRegistry ? first : DOCKER_HUB,
                hasRegistry ? path.substring(slash + 1) : path,
                text.substring(path.length()));
    }

    /** Creates a reference to an image whose name is already split into its parts. */
    public static Optional<ModuleReference> registry(String registry, String repository, String version) {
        var host = normalHost(registry);
        var full = host.equals(DOCKER_HUB) && !repository.contains("/") ? "library/" + repository : repository;
        return REGISTRY.matcher(host).matches()
                        && REPOSITORY.matcher(full).matches()
                        && VERSION.matcher(version).matches()
                ? Optional.of(new ModuleReference("registry", host, full, version))
                : Optional.empty();
    }

    /** Returns the normal form of a host: lower case, and one name for Docker Hub. */
    public static String normalHost(String registry) {
        var host = registry.toLowerCase(Locale.ROOT);
        return host.equals("index.docker.io") ? DOCKER_HUB : host;
    }

    private static Optional<ModuleReference> web(String text) {
        try {
            var uri = new URI(text).normalize();
            if (uri.getHost() == null || uri.getRawUserInfo() != null || !isPlain(uri.getRawPath())) {
                return Optional.empty();
            }
            int defaultPort = uri.getScheme().equals("https") ? 443 : 80;
            var host = uri.getHost().toLowerCase(Locale.ROOT);
            return Optional.of(new ModuleReference(
                    uri.getScheme(),
                    uri.getPort() < 0 || uri.getPort() == defaultPort ? host : host + ":" + uri.getPort(),
                    uri.getRawPath().substring(1),
                    uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery()));
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    private static boolean isPlain(String path) {
        if (!path.startsWith("/") || path.endsWith("/")) {
            return false;
        }
        for (var segment : path.split("/", -1)) {
            if (PARENT_SEGMENT.matcher(segment).matches()
                    || ENCODED_SEPARATOR.matcher(segment).matches()) {
                return false;
            }
        }
        return true;
    }

    /** Returns {@code host/path}, which is compared with {@code moduleSources.repositories}. */
    public String place() {
        return host + "/" + path;
    }

    /** Returns the complete reference in normal form, which is equal for two spellings of one module. */
    public String text() {
        return scheme + "://" + place() + version;
    }
}
