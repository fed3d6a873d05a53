package io.portcullis.server.bench;

import java.net.URI;
import javax.net.ssl.SSLContext;

/**
 * The address of a server under load.
 *
 * @param uri {@code https} for HTTP/2 over TLS, {@code http} for HTTP/1.1
 * @param tls trusts the certificate of the server; not used with {@code http}
 */
record BenchTarget(URI uri, SSLContext tls) {}
