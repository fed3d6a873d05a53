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
 * Asks one replica what it serves, over TLS that is checked as an API server checks it when it calls the webhook: by the
 * webhook's certificates and by the name of the Service, whichever address the replica has. Asking for everything shakes
 * hands anew, since an answer over an old connection proves nothing about the certificate of today. Questions about single
 * policies in between use the connection that this leaves, since handshakes are dear. Thread-safe.
 */
public final class ReplicaCall implements ReplicaProber.Asking {

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(3);
    /** For the answer, however slowly it comes. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** Thousands of policies fit. */
    private static final int LARGEST_ANSWER = 16 << 20;

    /** Whoever has not been asked for longer is gone; everything is asked for more often. */
    private static final Duration LONGEST_IDLE = Duration.ofMinutes(1);

    private final Supplier<KeyManager[]> clientKeys;
    private final Map<Peer, Line> lines = new ConcurrentHashMap<>();

    private record Peer(InetSocketAddress address, String serviceName, String caBundle) {}

    /** A connection on which nothing is under way. */
    private record Line(HttpConnection connection, long sinceNanos) {

        boolean closeIfAbandoned() {
            if (System.nanoTime() - sinceNanos <= LONGEST_IDLE.toNanos()) {
                return false;
            }
            connection.close();
            return true;
        }
    }

    /** @param clientKeys what we show to servers that ask who calls; may be none */
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
        var line = question instanceof Question.Policies ? lines.remove(peer) : null;
        if (line != null) {
            try {
                return read(question, exchange(peer, line.connection(), message));
            } catch (SocketTimeoutException e) {
                throw e;
            } catch (IOException _) {
                // the replica may have ended it before, so the question is put on a new one
            }
        }
        return read(question, askAnew(peer, message));
    }

    @Override
    public ServerReport report(InetSocketAddress address, String serviceName, String caBundle, String token)
            throws IOException {
        if (!token.matches("[\\x21-\\x7e]+")) {
            throw new IOException("the evidence token is not usable");
        }
        var peer = new Peer(address, serviceName, caBundle);
        var message = message(serviceName, token, ServerReport.PATH, new LinkedHashMap<>());
        var line = lines.remove(peer);
        var answer = exchange(peer, line == null ? connect(peer) : line.connection(), message);
        if (answer.status() != HttpURLConnection.HTTP_OK) {
            throw new IOException("answered with status " + answer.status());
        }
        return ServerReport.read(answer.body());
    }

    private HttpAnswer askAnew(Peer peer, HttpMessage message) throws IOException {
        lines.values().removeIf(Line::closeIfAbandoned);
        return exchange(peer, connect(peer), message);
    }

    private HttpConnection connect(Peer peer) throws IOException {
        var socket = HttpConnection.socket();
        try {
            var tls = new HttpConnection.Tls(context(peer.caBundle()), peer.serviceName());
            return HttpConnection.open(socket, peer.address(), Optional.of(tls), CONNECT_LIMIT);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            HttpConnection.quietly(socket);
            throw new IOException("the webhook's certificates cannot be used: " + e.getMessage(), e);
        } catch (IOException e) {
            HttpConnection.quietly(socket);
            throw e;
        }
    }

    /** One question and its answer; afterwards the connection is kept for the next one, or closed. */
    private HttpAnswer exchange(Peer peer, HttpConnection connection, HttpMessage message) throws IOException {
        var isReusable = false;
        try {
            var answer = connection.exchange(message, LARGEST_ANSWER, LIMIT);
            isReusable = !answer.isLast();
            return answer;
        } finally {
            var former = isReusable ? lines.put(peer, new Line(connection, System.nanoTime())) : null;
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
                && known(question).isPresent()) {
            return Optional.empty();
        }
        throw new IOException("answered with status " + answer.status());
    }

    private static Optional<String> known(Question question) {
        return question instanceof Question.Everything(var known) ? known : Optional.empty();
    }

    private static HttpMessage message(String serviceName, String token, Question question) {
        var headers = new LinkedHashMap<String, List<String>>();
        known(question).ifPresent(digest -> headers.put("If-None-Match", List.of("\"" + digest + "\"")));
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
