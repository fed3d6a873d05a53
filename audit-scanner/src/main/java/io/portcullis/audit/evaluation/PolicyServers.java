package io.portcullis.audit.evaluation;

import io.portcullis.audit.policy.Endpoint;
import io.portcullis.process.http.ConnectionPool;
import io.portcullis.process.http.ConnectionPool.Limits;
import io.portcullis.process.http.HttpAnswer;
import io.portcullis.process.http.HttpConnection;
import io.portcullis.process.http.HttpMessage;
import io.portcullis.process.tls.ClientTls;
import io.portcullis.process.tls.TlsException;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/**
 * Sends requests to policy servers. Uses HTTP/1.1 on purpose: concurrent requests use separate connections, and each
 * new connection to a Service may reach another replica. HTTP/2 would multiplex all requests on one connection.
 * Thread-safe.
 */
public final class PolicyServers implements AutoCloseable {

    /** Limit of a response, which contains a verdict and possibly a patch. */
    private static final int MAX_RESPONSE_BYTES = 8 << 20;

    private static final Map<String, List<String>> JSON = Map.of("Content-Type", List.of("application/json"));

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Maximum age of a connection, so that new replicas receive a share of the requests. */
    static final Duration MAX_CONNECTION_AGE = Duration.ofSeconds(10);

    /** The server of a connection and the CA bundle that the scanner trusts for it. */
    private record Peer(String scheme, String authority, String caBundle) {}

    private final ClientTls tls;
    private final boolean checksServers;
    private final Duration timeout;
    private final Semaphore slots;
    private final ConnectionPool<Peer> pool;
    private final ScheduledThreadPoolExecutor timer;

    /**
     * TLS contexts by CA bundle. During a rotation of the controller's CA there are two. Contexts keep TLS sessions
     * for resumption.
     */
    private final Map<String, SSLContext> contexts = new ConcurrentHashMap<>();

    /**
     * @param checksServers false accepts any certificate
     * @param maxConcurrent maximum number of concurrent requests
     * @param nanoTime as {@link System#nanoTime()}
     */
    public PolicyServers(ClientTls tls, boolean checksServers, int maxConcurrent, LongSupplier nanoTime) {
        this(tls, checksServers, maxConcurrent, nanoTime, TIMEOUT);
    }

    PolicyServers(ClientTls tls, boolean checksServers, int maxConcurrent, LongSupplier nanoTime, Duration timeout) {
        this.tls = tls;
        this.checksServers = checksServers;
        this.timeout = timeout;
        this.slots = new Semaphore(maxConcurrent);
        this.pool = new ConnectionPool<>(Limits.ofAge(maxConcurrent, MAX_CONNECTION_AGE), nanoTime);
        this.timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("timeouts").daemon().factory());
        timer.setRemoveOnCancelPolicy(true);
    }

    PolicyServerAnswer ask(Endpoint endpoint, byte[] review) throws InterruptedException {
        slots.acquire();
        try {
            var answer = post(endpoint, review);
            return PolicyServerAnswer.read(answer.status(), answer.body());
        } catch (SocketTimeoutException _) {
            return new PolicyServerAnswer.Transient(
                    "the policy server did not answer within " + timeout.toSeconds() + " s");
        } catch (SSLException e) {
            return e.getCause() instanceof EOFException || e.getCause() instanceof SocketException
                    ? new PolicyServerAnswer.Transient("the policy server cannot be reached: " + reason(e))
                    : new PolicyServerAnswer.Permanent("no trust between scanner and policy server: " + e.getMessage());
        } catch (IOException e) {
            return new PolicyServerAnswer.Transient("the policy server cannot be reached: " + reason(e));
        } catch (TlsException | IllegalArgumentException e) {
            return new PolicyServerAnswer.Permanent(String.valueOf(e.getMessage()));
        } finally {
            slots.release();
        }
    }

    /** Returns a readable reason. Some exceptions have no message; for an unknown host the message is only the name. */
    private static String reason(IOException e) {
        if (e instanceof UnknownHostException) {
            return "there is no host " + e.getMessage();
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private HttpAnswer post(Endpoint endpoint, byte[] review) throws IOException, InterruptedException {
        var uri = endpoint.uri();
        var attempt = new Attempt(endpoint, new HttpMessage("POST", uri, JSON, review));
        try {
            return pool.exchange(
                    new Peer(uri.getScheme(), uri.getRawAuthority(), endpoint.caBundle()),
                    attempt::open,
                    attempt::exchange);
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw e;
        } finally {
            attempt.timer.cancel(false);
        }
    }

    /**
     * Sends a review over an idle connection, or over a new one, each within the timeout. Sockets limit only the wait for
     * the next bytes, so a timer closes the connection. Confined to one thread.
     */
    private final class Attempt {

        private final Endpoint endpoint;
        private final HttpMessage message;
        private AtomicBoolean isTimedOut = new AtomicBoolean();
        private Future<?> timer = CompletableFuture.completedFuture(null);
        private boolean isNewConnection;

        Attempt(Endpoint endpoint, HttpMessage message) {
            this.endpoint = endpoint;
            this.message = message;
        }

        HttpConnection open() throws IOException {
            isNewConnection = true;
            var address = message.address();
            var tls = "https".equals(endpoint.uri().getScheme())
                    ? Optional.of(new HttpConnection.Tls(
                            contexts.computeIfAbsent(endpoint.caBundle(), PolicyServers.this::context),
                            address.getHostString()))
                    : Optional.<HttpConnection.Tls>empty();
            var socket = HttpConnection.socket();
            startTimer(() -> HttpConnection.quietly(socket));
            try {
                return HttpConnection.open(socket, address, tls, timeout);
            } catch (IOException e) {
                throw timeoutOr(e);
            }
        }

        HttpAnswer exchange(HttpConnection connection) throws IOException {
            if (!isNewConnection) {
                startTimer(connection::abort);
            }
            try {
                return connection.exchange(message, MAX_RESPONSE_BYTES, timeout);
            } catch (IOException e) {
                throw timeoutOr(e);
            }
        }

        private void startTimer(Runnable abort) {
            timer.cancel(false);
            var isOver = new AtomicBoolean();
            isTimedOut = isOver;
            timer = PolicyServers.this.timer.schedule(
                    () -> {
                        isOver.set(true);
                        abort.run();
                    },
                    timeout.toMillis(),
                    TimeUnit.MILLISECONDS);
        }

        private IOException timeoutOr(IOException e) {
            return isTimedOut.get() ? new SocketTimeoutException("the policy server did not answer in time") : e;
        }
    }

    private SSLContext context(String caBundle) {
        if (!checksServers) {
            return tls.trustingAnybody();
        }
        return caBundle.isEmpty() ? tls.trustingTheMachine() : tls.trusting(caBundle);
    }

    @Override
    public void close() {
        pool.close();
        timer.shutdownNow();
    }
}
