package io.portcullis.artifacts.http;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;

/**
 * The origin of a URL: scheme, host and port. Credentials belong to one origin.
 *
 * @param port the effective port, never absent
 */
public record HttpOrigin(String scheme, String host, int port) {

    private static final int HTTPS_PORT = 443;
    private static final int HTTP_PORT = 80;

    /** @throws IllegalArgumentException if the URL contains no host */
    public static HttpOrigin of(URI uri) {
        var scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        var host = uri.getHost();
        if (host == null) {
            throw new IllegalArgumentException("the URL names no host");
        }
        var defaultPort = scheme.equals("https") ? HTTPS_PORT : HTTP_PORT;
        return new HttpOrigin(scheme, host.toLowerCase(Locale.ROOT), uri.getPort() < 0 ? defaultPort : uri.getPort());
    }

    /**
     * Returns the reason why a redirect must not be followed, or empty if it may be.
     *
     * @param from the URL that responded with the redirect
     */
    static Optional<String> redirectRefusal(URI from, URI target) {
        var scheme = String.valueOf(target.getScheme()).toLowerCase(Locale.ROOT);
        if (target.getHost() == null || !(scheme.equals("http") || scheme.equals("https"))) {
            return Optional.of("redirects to something that is no web address");
        }
        if (target.getRawUserInfo() != null) {
            return Optional.of("redirects to an address that carries credentials");
        }
        if ("https".equalsIgnoreCase(from.getScheme()) && scheme.equals("http")) {
            return Optional.of("redirects from https to plain http at " + target.getHost());
        }
        return Optional.empty();
    }
}
