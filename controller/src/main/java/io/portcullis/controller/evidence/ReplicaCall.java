package io.portcullis.controller.evidence;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.process.http.HttpAnswer;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Base64;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * Asks one replica what it serves, over TLS that is checked as an API server checks it when it calls the webhook: by the
 * webhook's certificates and by the name of the Service, whichever address the replica has. Every call shakes hands anew,
 * since an answer over an old connection proves nothing about the certificate of today.
 */
public final class ReplicaCall implements Prober.Asking {

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(3);
    /** For everything together: a peer that sends one byte now and then must not keep us waiting. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** Thousands of policies fit. */
    private static final int LARGEST_ANSWER = 16 << 20;

    private final Supplier<KeyManager[]> clientKeys;

    /** @param clientKeys what we show to servers that ask who calls; may be none */
    public ReplicaCall(Supplier<KeyManager[]> clientKeys) {
        this.clientKeys = clientKeys;
    }

    @Override
    public Evidence ask(InetSocketAddress address, String serviceName, String caBundle, String token)
            throws IOException {
        if (!token.matches("[\\x21-\\x7e]+")) {
            throw new IOException("the evidence token is not usable");
        }
        var deadline = System.nanoTime() + LIMIT.toNanos();
        try (var plain = new Socket()) {
            var end = Thread.ofVirtual().start(() -> closeAtTheEnd(plain));
            try {
                return ask(plain, address, serviceName, caBundle, token);
            } finally {
                end.interrupt();
            }
        } catch (IOException e) {
            throw System.nanoTime() - deadline >= 0 ? new SocketTimeoutException("the answer takes too long") : e;
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

    private Evidence ask(Socket plain, InetSocketAddress address, String serviceName, String caBundle, String token)
            throws IOException {
        try {
            plain.connect(address, (int) CONNECT_LIMIT.toMillis());
            plain.setSoTimeout((int) LIMIT.toMillis());
            try (var socket = (SSLSocket)
                    context(caBundle).getSocketFactory().createSocket(plain, serviceName, address.getPort(), true)) {
                var parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                socket.setSSLParameters(parameters);
                socket.startHandshake();
                socket.getOutputStream().write(request(serviceName, token));
                socket.getOutputStream().flush();
                return read(HttpAnswer.read(new BufferedInputStream(socket.getInputStream()), LARGEST_ANSWER));
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("the webhook's certificates cannot be used: " + e.getMessage(), e);
        }
    }

    private static Evidence read(HttpAnswer answer) throws IOException {
        if (answer.status() != HttpURLConnection.HTTP_OK) {
            throw new IOException("answered with status " + answer.status());
        }
        return Evidence.read(answer.body());
    }

    private static byte[] request(String serviceName, String token) {
        return """
                GET %s HTTP/1.1\r
                Host: %s\r
                Authorization: Bearer %s\r
                Accept: application/json\r
                Connection: close\r
                \r
                """.formatted(Evidence.PATH, serviceName, token).getBytes(StandardCharsets.US_ASCII);
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
