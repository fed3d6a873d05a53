package io.portcullis.artifacts.http;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * An HTTP request. The scheme of a registry's URI is {@code https}; the transport may fall back for insecure hosts.
 *
 * @param body supplies a new publisher for every attempt
 */
public record Request(String method, URI uri, Map<String, String> headers, Supplier<HttpRequest.BodyPublisher> body) {

    public Request {
        headers = Map.copyOf(headers);
    }

    public static Request get(URI uri, Map<String, String> headers) {
        return new Request("GET", uri, headers, BodyPublishers::noBody);
    }

    public static Request head(URI uri, Map<String, String> headers) {
        return new Request("HEAD", uri, headers, BodyPublishers::noBody);
    }

    /** Returns a copy with one more header. */
    public Request with(String name, String value) {
        var more = new HashMap<>(headers);
        more.put(name, value);
        return new Request(method, uri, more, body);
    }

    /**
     * Returns a copy for the target of a redirect. Drops credentials unless the target has the same origin.
     *
     * @param from the URL that responded with the redirect
     */
    Request redirectedTo(URI from, URI target) {
        var kept = new HashMap<>(headers);
        if (!HttpOrigin.of(from).equals(HttpOrigin.of(target))) {
            kept.keySet()
                    .removeIf(name -> name.equalsIgnoreCase("Authorization")
                            || name.equalsIgnoreCase("Cookie")
                            || name.equalsIgnoreCase("Proxy-Authorization"));
        }
        return new Request(method, target, kept, body);
    }

    boolean isSafeToRepeat() {
        return !method.equals("POST") && !method.equals("PATCH");
    }

    boolean followsRedirects() {
        return method.equals("GET") || method.equals("HEAD");
    }

    /** Omits the headers, which may contain credentials, and the query. */
    @Override
    public String toString() {
        return method + " " + uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath();
    }
}
