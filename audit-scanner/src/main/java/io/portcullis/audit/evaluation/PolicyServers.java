package io.portcullis.audit.evaluation;

import io.portcullis.audit.evaluation.ConnectionPool.Peer;
import io.portcullis.audit.evaluation.ConnectionPool.Pooled;
import io.portcullis.audit.policy.Endpoint;
import io.portcullis.process.http.HttpAnswer;
import io.portcullis.process.http.HttpConnection;
import io.portcullis.process.http.HttpMessage;
import io.portcullis.process.tls.ClientTls;
import io.portcullis.process.tls.TlsException;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
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

    private final ClientTls tls;
    private final boolean checksServers;
    private final Duration timeout;
    private final Semaphore slots;
    private final ConnectionPool pool;
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
        this.pool = new ConnectionPool(MAX_CONNECTION_AGE, nanoTime);
        this.timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("timeouts").daemon().factory());
        timer.setRemoveOnCancelPolicy(true);
    }

    PolicyServerAnswer ask(Endpoint endpoint, byte[] review) throws InterruptedException {
        slots.acquire();
        try {
            var answer = post(endpoint, review);
            return PolicyServerAnswer.read(answer.status(), answer.body());
        } catch (TimedOutException _) {
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

    /**
     * Sends a review. If a pooled connection fails, retries with a new one: the server may have closed the idle
     * connection, which is not a server failure.
     */
    private HttpAnswer post(Endpoint endpoint, byte[] review) throws IOException, InterruptedException {
        var message = new HttpMessage("POST", endpoint.uri(), JSON, review);
        var peer = Peer.of(endpoint.uri(), endpoint.caBundle());
        var reused = pool.take(peer);
        if (reused.isPresent()) {
            try {
                return within(reused.get().connection()::abort, () -> exchange(reused.get(), peer, message));
            } catch (TimedOutException e) {
                throw e;
            } catch (IOException _) {
                // Retry with a new connection.
            }
        }
        Socket socket = HttpConnection.socket();
        return within(() -> HttpConnection.quietly(socket), () -> {
            try {
                var address = message.address();
                var tls = "https".equals(endpoint.uri().getScheme())
                        ? Optional.of(new HttpConnection.Tls(
                                contexts.computeIfAbsent(endpoint.caBundle(), this::context), address.getHostString()))
                        : Optional.<HttpConnection.Tls>empty();
                var connection = HttpConnection.open(socket, address, tls, timeout);
                return exchange(pool.fresh(connection), peer, message);
            } catch (IOException | RuntimeException e) {
                HttpConnection.quietly(socket);
                throw e;
            }
        });
    }

    private HttpAnswer exchange(Pooled pooled, Peer peer, HttpMessage message) throws IOException {
        var isReusable = false;
        try {
            var answer = pooled.connection().exchange(message, MAX_RESPONSE_BYTES, timeout);
            isReusable = !answer.isLast();
            return answer;
        } finally {
            if (isReusable) {
                pool.release(peer, pooled);
            } else {
                pooled.connection().abort();
            }
        }
    }

    @FunctionalInterface
    private interface Exchange {
        HttpAnswer run() throws IOException;
    }

    private static final class TimedOutException extends IOException {

        TimedOutException(IOException cause) {
            super(cause);
        }
    }

    /** Runs an exchange with a total time limit. Sockets have no such limit, so a timer closes the connection. */
    private HttpAnswer within(Runnable abort, Exchange exchange) throws IOException, InterruptedException {
        var timedOut = new AtomicBoolean();
        var limit = timer.schedule(
                () -> {
                    timedOut.set(true);
                    abort.run();
                },
                timeout.toMillis(),
                TimeUnit.MILLISECONDS);
        try {
            return exchange.run();
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw timedOut.get() || e instanceof SocketTimeoutException ? new TimedOutException(e) : e;
        } finally {
            limit.cancel(false);
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
