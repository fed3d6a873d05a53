package io.portcullis.controller.evidence;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.controller.evidence.Prober.Question;
import io.portcullis.process.http.HttpAnswer;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * Asks one replica what it serves, over TLS that is checked as an API server checks it when it calls the webhook: by the
 * webhook's certificates and by the name of the Service, whichever address the replica has. Asking for everything shakes
 * hands anew, since an answer over an old connection proves nothing about the certificate of today. Questions about single
 * policies in between use the connection that this leaves, since handshakes are dear. Thread-safe.
 */
public final class ReplicaCall implements Prober.Asking {

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(3);
    /** For everything together: a peer that sends one byte now and then must not keep us waiting. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** Thousands of policies fit. */
    private static final int LARGEST_ANSWER = 16 << 20;

    /** Whoever has not been asked for longer is gone; everything is asked for more often. */
    private static final Duration LONGEST_IDLE = Duration.ofMinutes(1);

    private final Supplier<KeyManager[]> clientKeys;
    private final Map<Peer, Line> lines = new ConcurrentHashMap<>();

    private record Peer(InetSocketAddress address, String serviceName, String caBundle) {}

    /** A connection on which nothing is under way. */
    private record Line(Socket plain, SSLSocket socket, InputStream in, long sinceNanos) {

        boolean closeIfAbandoned() {
            if (System.nanoTime() - sinceNanos <= LONGEST_IDLE.toNanos()) {
                return false;
            }
            close();
            return true;
        }

        Line usedNow() {
            return new Line(plain, socket, in, System.nanoTime());
        }

        void close() {
            try {
                socket.close();
            } catch (IOException _) {
                // it is of no use any more, one way or another
            }
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
        var request = request(serviceName, token, question);
        var line = question instanceof Question.Policies ? lines.remove(peer) : null;
        if (line != null) {
            try {
                return read(question, within(line.plain(), () -> exchange(peer, line, request)));
            } catch (SocketTimeoutException e) {
                line.close();
                throw e;
            } catch (IOException _) {
                line.close(); // the replica may have done so already, so the question is put on a new one
            }
        }
        return read(question, askAnew(peer, request));
    }

    private HttpAnswer askAnew(Peer peer, byte[] request) throws IOException {
        lines.values().removeIf(Line::closeIfAbandoned);
        var plain = new Socket();
        try {
            return within(plain, () -> {
                var socket = connect(plain, peer);
                var in = new BufferedInputStream(socket.getInputStream());
                return exchange(peer, new Line(plain, socket, in, System.nanoTime()), request);
            });
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    @FunctionalInterface
    private interface Talk {
        HttpAnswer talk() throws IOException;
    }

    private static HttpAnswer within(Socket socket, Talk talk) throws IOException {
        var deadline = System.nanoTime() + LIMIT.toNanos();
        var end = Thread.ofVirtual().start(() -> closeAtTheEnd(socket));
        try {
            return talk.talk();
        } catch (IOException e) {
            throw System.nanoTime() - deadline >= 0 ? new SocketTimeoutException("the answer takes too long") : e;
        } finally {
            end.interrupt();
        }
    }

    /** Neither a handshake nor an answer that trickles in has a deadline of its own. */
    private static void closeAtTheEnd(Socket socket) {
        try {
            Thread.sleep(LIMIT);
            socket.close();
        } catch (InterruptedException | IOException _) {
            // the answer came first, or there is nothing left to close
        }
    }

    private SSLSocket connect(Socket plain, Peer peer) throws IOException {
        try {
            plain.connect(peer.address(), (int) CONNECT_LIMIT.toMillis());
            plain.setSoTimeout((int) LIMIT.toMillis());
            var socket = (SSLSocket) context(peer.caBundle())
                    .getSocketFactory()
                    .createSocket(plain, peer.serviceName(), peer.address().getPort(), true);
            var parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket;
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("the webhook's certificates cannot be used: " + e.getMessage(), e);
        }
    }

    /** One question and its answer; afterwards the connection is kept for the next one, or closed. */
    private HttpAnswer exchange(Peer peer, Line line, byte[] request) throws IOException {
        line.socket().getOutputStream().write(request);
        line.socket().getOutputStream().flush();
        var answer = HttpAnswer.read(line.in(), LARGEST_ANSWER);
        var former = answer.isLast() ? line : lines.put(peer, line.usedNow());
        if (former != null) {
            former.close();
        }
        return answer;
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

    private static byte[] request(String serviceName, String token, Question question) {
        return """
                GET %s%s HTTP/1.1\r
                Host: %s\r
                Authorization: Bearer %s\r
                Accept: application/json\r
                %s\r
                """.formatted(
                        Evidence.PATH,
                        query(question),
                        serviceName,
                        token,
                        known(question)
                                .map(digest -> "If-None-Match: \"" + digest + "\"\r\n")
                                .orElse(""))
                .getBytes(StandardCharsets.US_ASCII);
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
