package io.portcullis.artifacts.http;

import io.portcullis.artifacts.source.Sources;
import java.util.List;

/** How a connection is protected, in the order in which it is tried. */
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

    /** Only hosts that are listed as insecure get more than verified TLS. */
    static List<Security> allowedFor(String host, Sources sources) {
        return sources.insecure().contains(host) ? List.of(values()) : List.of(VERIFIED);
    }
}
