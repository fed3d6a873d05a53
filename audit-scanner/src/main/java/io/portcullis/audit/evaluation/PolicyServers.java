package io.portcullis.audit.evaluation;

import io.portcullis.audit.policy.Endpoint;
import io.portcullis.process.tls.ClientTls;
import io.portcullis.process.tls.TlsException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/**
 * One request to a policy server. HTTP/1.1 on purpose: requests at the same time take connections of their own, and each
 * new connection to a Service may reach another replica; HTTP/2 would put all of them on one. Connections are used again,
 * since a TLS handshake costs more than a verdict, but not for ever. Safe for many threads.
 */
public final class PolicyServers implements AutoCloseable {

    /** A policy server answers with a verdict and perhaps a patch. */
    private static final long MAX_ANSWER_BYTES = 8 << 20;

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Then new connections are made: replicas that came meanwhile get their share. */
    static final Duration RENEWAL = Duration.ofSeconds(10);

    /** Connections, and since when they are made. */
    private record Connections(HttpClient client, long since) {}

    private final ClientTls tls;
    private final boolean checksServers;
    private final Semaphore slots;
    private final LongSupplier nanoTime;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** By CA bundle: that of the controller, and during its rotation the next one. */
    private final Map<String, Connections> connections = new ConcurrentHashMap<>();

    /** Outlive connections, so that sessions can be resumed. */
    private final Map<String, SSLContext> contexts = new ConcurrentHashMap<>();

    /**
     * @param checksServers false: any certificate will do
     * @param atOnce requests under way, at most
     * @param nanoTime as {@link System#nanoTime()}
     */
    public PolicyServers(ClientTls tls, boolean checksServers, int atOnce, LongSupplier nanoTime) {
        this.tls = tls;
        this.checksServers = checksServers;
        this.slots = new Semaphore(atOnce);
        this.nanoTime = nanoTime;
    }

    Answer ask(Endpoint endpoint, byte[] review) throws InterruptedException {
        slots.acquire();
        try {
            var response = client(endpoint.caBundle())
                    .send(
                            HttpRequest.newBuilder(endpoint.uri())
                                    .timeout(TIMEOUT)
                                    .header("Content-Type", "application/json")
                                    .POST(HttpRequest.BodyPublishers.ofByteArray(review))
                                    .build(),
                            BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_ANSWER_BYTES));
            return Answer.read(response.statusCode(), response.body());
        } catch (HttpTimeoutException e) {
            return new Answer.Transient("the policy server did not answer within " + TIMEOUT.toSeconds() + " s");
        } catch (SSLException e) {
            return new Answer.Broken("no trust between scanner and policy server: " + e.getMessage());
        } catch (IOException e) {
            return new Answer.Transient("the policy server cannot be reached: " + reason(e));
        } catch (TlsException | IllegalArgumentException e) {
            return new Answer.Broken(String.valueOf(e.getMessage()));
        } finally {
            slots.release();
        }
    }

    /** The JDK leaves the message of refused connections empty. */
    private static String reason(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    /** One that is replaced ends by itself when its last request is answered. */
    private HttpClient client(String caBundle) {
        var now = nanoTime.getAsLong();
        return connections
                .compute(
                        caBundle,
                        (_, current) -> current != null && now - current.since() < RENEWAL.toNanos()
                                ? current
                                : new Connections(newClient(caBundle), now))
                .client();
    }

    private HttpClient newClient(String caBundle) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(TIMEOUT)
                .executor(threads)
                .sslContext(contexts.computeIfAbsent(caBundle, this::context))
                .sslParameters(new SSLParameters(null, new String[] {"TLSv1.3", "TLSv1.2"}))
                .build();
    }

    private SSLContext context(String caBundle) {
        if (!checksServers) {
            return tls.trustingAnybody();
        }
        return caBundle.isEmpty() ? tls.trustingTheMachine() : tls.trusting(caBundle);
    }

    @Override
    public void close() {
        connections.values().forEach(current -> current.client().shutdownNow());
        threads.shutdownNow();
    }
}
