package io.portcullis.controller.evidence;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServerReport;
import io.portcullis.controller.evidence.ReplicaProber.Question;
import io.portcullis.process.http.HttpAnswer;
import io.portcullis.process.http.HttpConnection;
import io.portcullis.process.http.HttpMessage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Asks one replica what it serves. The TLS checks are those of an API server that calls the webhook: the webhook's CA
 * bundle and the Service name, whatever address the replica has. A full question uses a new handshake, because an
 * answer over an old connection proves nothing about the current certificate. Questions about single policies reuse
 * that connection, because handshakes are expensive. Thread-safe.
 */
public final class ReplicaCall implements ReplicaProber.Asking {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
    /** The limit for the complete answer. */
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);

    /** Large enough for thousands of policies. */
    private static final int MAX_ANSWER_BYTES = 16 << 20;

    /** A replica that was not asked for longer is gone, because full questions are more frequent. */
    private static final Duration MAX_IDLE = Duration.ofMinutes(1);

    private final Supplier<KeyManager[]> clientKeys;
    private final Map<Peer, IdleConnection> idleConnections = new ConcurrentHashMap<>();

    private record Peer(InetSocketAddress address, String serviceName, String caBundle) {}

    /** A connection without a request in flight. */
    private record IdleConnection(HttpConnection connection, long sinceNanos) {

        boolean closeIfExpired() {
            if (System.nanoTime() - sinceNanos <= MAX_IDLE.toNanos()) {
                return false;
            }
            connection.close();
            return true;
        }
    }

    /** @param clientKeys the keys for servers that require client certificates; may be none */
    public ReplicaCall(Supplier<KeyManager[]> clientKeys) {
        this.clientKeys = clientKeys;
    }

    @Override
    public Optional<Evidence> ask(
            InetSocketAddress address, String serviceName, String caBundle, String token, Question question)
            throws IOException {
        if (!token.matches("[\\x21-\\x7e]+")) {
            throw new IOException("the evidence token is not usable");
        }
        var peer = new Peer(address, serviceName, caBundle);
        var message = message(serviceName, token, question);
        var idle = question instanceof Question.Policies ? idleConnections.remove(peer) : null;
        if (idle != null) {
            try {
                return read(question, exchange(peer, idle.connection(), message));
            } catch (SocketTimeoutException e) {
                throw e;
            } catch (IOException _) {
                // the replica may have closed the idle connection, so retry on a new one
            }
        }
        return read(question, askOnNewConnection(peer, message));
    }

    @Override
    public ServerReport report(InetSocketAddress address, String serviceName, String caBundle, String token)
            throws IOException {
        if (!token.matches("[\\x21-\\x7e]+")) {
            throw new IOException("the evidence token is not usable");
        }
        var peer = new Peer(address, serviceName, caBundle);
        var message = message(serviceName, token, ServerReport.PATH, new LinkedHashMap<>());
        var idle = idleConnections.remove(peer);
        var answer = exchange(peer, idle == null ? connect(peer) : idle.connection(), message);
        if (answer.status() != HttpURLConnection.HTTP_OK) {
            throw new IOException("answered with status " + answer.status());
        }
        return ServerReport.read(answer.body());
    }

    private HttpAnswer askOnNewConnection(Peer peer, HttpMessage message) throws IOException {
        idleConnections.values().removeIf(IdleConnection::closeIfExpired);
        return exchange(peer, connect(peer), message);
    }

    private HttpConnection connect(Peer peer) throws IOException {
        var socket = HttpConnection.socket();
        try {
            var tls = new HttpConnection.Tls(context(peer.caBundle()), peer.serviceName());
            return HttpConnection.open(socket, peer.address(), Optional.of(tls), CONNECT_TIMEOUT);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            HttpConnection.quietly(socket);
            throw new IOException("the webhook's certificates cannot be used: " + e.getMessage(), e);
        } catch (IOException e) {
            HttpConnection.quietly(socket);
            throw e;
        }
    }

    /** Sends one request and reads the answer. Keeps the connection for the next request, or closes it. */
    private HttpAnswer exchange(Peer peer, HttpConnection connection, HttpMessage message) throws IOException {
        var isReusable = false;
        try {
            var answer = connection.exchange(message, MAX_ANSWER_BYTES, ANSWER_TIMEOUT);
            isReusable = !answer.isLast();
            return answer;
        } finally {
            var former =
                    isReusable ? idleConnections.put(peer, new IdleConnection(connection, System.nanoTime())) : null;
            if (former != null) {
                former.connection().close();
            }
            if (!isReusable) {
                connection.abort();
            }
        }
    }

    private static Optional<Evidence> read(Question question, HttpAnswer answer) throws IOException {
        if (answer.status() == HttpURLConnection.HTTP_OK) {
            return Optional.of(Evidence.read(answer.body()));
        }
        if (answer.status() == HttpURLConnection.HTTP_NOT_MODIFIED
                && knownDigest(question).isPresent()) {
            return Optional.empty();
        }
        throw new IOException("answered with status " + answer.status());
    }

    private static Optional<String> knownDigest(Question question) {
        return question instanceof Question.Everything(var known) ? known : Optional.empty();
    }

    private static HttpMessage message(String serviceName, String token, Question question) {
        var headers = new LinkedHashMap<String, List<String>>();
        knownDigest(question).ifPresent(digest -> headers.put("If-None-Match", List.of("\"" + digest + "\"")));
        return message(serviceName, token, Evidence.PATH + query(question), headers);
    }

    private static HttpMessage message(
            String serviceName, String token, String path, Map<String, List<String>> headers) {
        headers.put("Authorization", List.of("Bearer " + token));
        headers.put("Accept", List.of("application/json"));
        return new HttpMessage("GET", URI.create("https://" + serviceName + path), headers, new byte[0]);
    }

    private static String query(Question question) {
        return switch (question) {
            case Question.Everything _ -> "";
            case Question.Policies(var policyIds) ->
                policyIds.stream()
                        .map(id -> Evidence.POLICY + "=" + URLEncoder.encode(id, StandardCharsets.UTF_8))
                        .collect(Collectors.joining("&", "?", ""));
        };
    }

    private SSLContext context(String caBundle) throws GeneralSecurityException, IOException {
        var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        var pem = new ByteArrayInputStream(Base64.getDecoder().decode(caBundle));
        for (var authority : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
            trusted.setCertificateEntry("ca-" + trusted.size(), authority);
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(clientKeys.get(), trust.getTrustManagers(), null);
        return context;
    }
}
