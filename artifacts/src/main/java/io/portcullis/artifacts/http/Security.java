package io.portcullis.artifacts.http;

import io.portcullis.artifacts.source.Sources;
import java.util.List;

/** Protection level of a connection, in the order in which the transport tries them. */
enum Security {
    VERIFIED("https"),
    UNVERIFIED("https"),
    PLAIN("http");

    private final String scheme;

    Security(String scheme) {
        this.scheme = scheme;
    }

    String scheme() {
        return scheme;
    }

    /** Returns the allowed levels. Only hosts listed as insecure may use less than verified TLS. */
    static List<Security> allowedFor(String host, Sources sources) {
        return sources.insecure().contains(host) ? List.of(values()) : List.of(VERIFIED);
    }
}
