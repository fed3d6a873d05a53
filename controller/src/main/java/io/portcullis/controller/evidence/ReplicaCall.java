package io.portcullis.controller.evidence;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServerReport;
import io.portcullis.controller.evidence.ReplicaProber.Question;
import io.portcullis.process.http.ConnectionPool;
import io.portcullis.process.http.ConnectionPool.Limits;
import io.portcullis.process.http.HttpAnswer;
import io.portcullis.process.http.HttpConnection;
import io.portcullis.process.http.HttpMessage;
import io.portcullis.process.tls.ClientTls;
import io.portcullis.process.tls.TlsException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

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
    private final ConnectionPool<Peer> pool = new ConnectionPool<>(Limits.ofIdleTime(1, MAX_IDLE), System::nanoTime);

    private record Peer(InetSocketAddress address, String serviceName, String caBundle) {}

    /** @param clientKeys the keys for servers that require client certificates; may be none */
    public ReplicaCall(Supplier<KeyManager[]> clientKeys) {
        this.clientKeys = clientKeys;
    }

    @Override
    public Optional<Evidence> ask(
            InetSocketAddress address, String serviceName, String caBundle, String token, Question question)
            throws IOException {
        check(token);
        var peer = new Peer(address, serviceName, caBundle);
        var message = message(serviceName, token, question);
        var answer = question instanceof Question.Policies
                ? pool.exchange(peer, () -> connect(peer), connection -> exchange(connection, message))
                : pool.exchangeOverNew(peer, () -> connect(peer), connection -> exchange(connection, message));
        return read(question, answer);
    }

    @Override
    public ServerReport report(InetSocketAddress address, String serviceName, String caBundle, String token)
            throws IOException {
        check(token);
        var peer = new Peer(address, serviceName, caBundle);
        var message = message(serviceName, token, ServerReport.PATH, new LinkedHashMap<>());
        var answer = pool.exchange(peer, () -> connect(peer), connection -> exchange(connection, message));
        if (answer.status() != HttpURLConnection.HTTP_OK) {
            throw new IOException("answered with status " + answer.status());
        }
        return ServerReport.read(answer.body());
    }

    private static void check(String token) throws IOException {
        if (!token.matches("[\\x21-\\x7e]+")) {
            throw new IOException("the evidence token is not usable");
        }
    }

    private HttpConnection connect(Peer peer) throws IOException {
        return HttpConnection.open(
                peer.address(),
                Optional.of(new HttpConnection.Tls(context(peer.caBundle()), peer.serviceName())),
                CONNECT_TIMEOUT);
    }

    private static HttpAnswer exchange(HttpConnection connection, HttpMessage message) throws IOException {
        return connection.exchange(message, MAX_ANSWER_BYTES, ANSWER_TIMEOUT);
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

    private SSLContext context(String caBundle) throws IOException {
        try {
            var pem = new String(Base64.getDecoder().decode(caBundle), StandardCharsets.ISO_8859_1);
            return ClientTls.presenting(clientKeys.get()).trusting(pem);
        } catch (TlsException | IllegalArgumentException e) {
            throw new IOException("the webhook's certificates cannot be used: " + e.getMessage(), e);
        }
    }
}
