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
 * One request to a policy server. HTTP/1.1 on purpose: requests at the same time take connections of their own, and each
 * new connection to a Service may reach another replica; HTTP/2 would put all of them on one. Safe for many threads.
 */
public final class PolicyServers implements AutoCloseable {

    /** A policy server answers with a verdict and perhaps a patch. */
    private static final int MAX_ANSWER_BYTES = 8 << 20;

    private static final Map<String, List<String>> JSON = Map.of("Content-Type", List.of("application/json"));

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Then new connections are made: replicas that came meanwhile get their share. */
    static final Duration RENEWAL = Duration.ofSeconds(10);

    private final ClientTls tls;
    private final boolean checksServers;
    private final Duration timeout;
    private final Semaphore slots;
    private final ConnectionPool pool;
    private final ScheduledThreadPoolExecutor timer;

    /** By CA bundle: that of the controller, and during its rotation the next one. They keep sessions to resume. */
    private final Map<String, SSLContext> contexts = new ConcurrentHashMap<>();

    /**
     * @param checksServers false: any certificate will do
     * @param atOnce requests under way, at most
     * @param nanoTime as {@link System#nanoTime()}
     */
    public PolicyServers(ClientTls tls, boolean checksServers, int atOnce, LongSupplier nanoTime) {
        this(tls, checksServers, atOnce, nanoTime, TIMEOUT);
    }

    PolicyServers(ClientTls tls, boolean checksServers, int atOnce, LongSupplier nanoTime, Duration timeout) {
        this.tls = tls;
        this.checksServers = checksServers;
        this.timeout = timeout;
        this.slots = new Semaphore(atOnce);
        this.pool = new ConnectionPool(RENEWAL, nanoTime);
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
                    : new PolicyServerAnswer.Broken("no trust between scanner and policy server: " + e.getMessage());
        } catch (IOException e) {
            return new PolicyServerAnswer.Transient("the policy server cannot be reached: " + reason(e));
        } catch (TlsException | IllegalArgumentException e) {
            return new PolicyServerAnswer.Broken(String.valueOf(e.getMessage()));
        } finally {
            slots.release();
        }
    }

    /** Some messages are empty, one is only the name. */
    private static String reason(IOException e) {
        if (e instanceof UnknownHostException) {
            return "there is no host " + e.getMessage();
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    /** A server may end a connection just before it is used again; that says nothing of the server. */
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
                // with a new one then
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
                return exchange(pool.young(connection), peer, message);
            } catch (IOException | RuntimeException e) {
                HttpConnection.quietly(socket);
                throw e;
            }
        });
    }

    private HttpAnswer exchange(Pooled pooled, Peer peer, HttpMessage message) throws IOException {
        var isReusable = false;
        try {
            var answer = pooled.connection().exchange(message, MAX_ANSWER_BYTES, timeout);
            isReusable = !answer.isLast();
            return answer;
        } finally {
            if (isReusable) {
                pool.giveBack(peer, pooled);
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

    /** Sockets know no time limit for all that happens on them: what takes too long loses its connection. */
    private HttpAnswer within(Runnable abort, Exchange exchange) throws IOException, InterruptedException {
        var isOver = new AtomicBoolean();
        var limit = timer.schedule(
                () -> {
                    isOver.set(true);
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
            throw isOver.get() || e instanceof SocketTimeoutException ? new TimedOutException(e) : e;
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
