package io.portcullis.server.http;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.http.ServerResponse;
import io.portcullis.process.http.HttpProblem;
import io.portcullis.process.metrics.Counter;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Metrics;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * {@code GET /modules/<digest>}: a module from the cache of this replica, for other replicas of the server. Sends a few modules at a
 * time through small buffers, so that admission requests keep memory and bandwidth. The receiver checks the digest. Thread-safe.
 */
public final class ModulesPage {

    private static final Header BINARY =
            HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "application/octet-stream");
    private static final int CONCURRENT = 4;
    private static final int WAITING = 32;
    private static final Duration MAX_WAIT = Duration.ofSeconds(10);
    /** The listener limits each write; this limits all writes of a module together. */
    private static final Duration MAX_TIME = Duration.ofSeconds(60);

    private static final int BUFFER_BYTES = 64 << 10;

    private final BearerToken token;
    private final CachedModules modules;
    private final Semaphore admitted;
    private final Semaphore sending;
    private final Duration maxWait;
    private final Family<Counter> requests;

    /** The modules in the cache. */
    @FunctionalInterface
    public interface CachedModules {

        /** Opens the module; empty when the cache does not contain it. */
        Optional<FileChannel> open(String digest) throws IOException;
    }

    public ModulesPage(BearerToken token, CachedModules modules, Metrics metrics) {
        this(token, modules, CONCURRENT, WAITING, MAX_WAIT, metrics);
    }

    /**
     * Creates the page.
     *
     * @param concurrent modules that are sent at the same time
     * @param waiting further requests that wait
     */
    ModulesPage(
            BearerToken token, CachedModules modules, int concurrent, int waiting, Duration maxWait, Metrics metrics) {
        this.token = token;
        this.modules = modules;
        this.admitted = new Semaphore(concurrent + waiting);
        this.sending = new Semaphore(concurrent, true);
        this.maxWait = maxWait;
        this.requests = metrics.counter(
                "kubewarden_modules_sent",
                "Requests of other replicas for modules, by result: sent, absent, busy, or aborted.",
                "result");
    }

    boolean allows(Optional<String> authorization) {
        return token.allows(authorization);
    }

    /** @throws HttpProblem 404 when the cache does not contain the module, 503 when too many are being sent */
    void send(String digest, ServerResponse response) throws IOException, InterruptedException {
        if (!admitted.tryAcquire()) {
            throw busy();
        }
        try {
            if (!sending.tryAcquire(maxWait.toMillis(), TimeUnit.MILLISECONDS)) {
                throw busy();
            }
            try {
                sendNow(digest, response);
            } finally {
                sending.release();
            }
        } finally {
            admitted.release();
        }
    }

    private HttpProblem busy() {
        requests.with("busy").increment();
        return new HttpProblem(503, "server overloaded: too many modules are being sent");
    }

    private void sendNow(String digest, ServerResponse response) throws IOException {
        var opened = modules.open(digest);
        if (opened.isEmpty()) {
            requests.with("absent").increment();
            throw new HttpProblem(404, "this replica does not have the module");
        }
        var result = "aborted";
        try (var file = opened.get()) {
            response.header(BINARY).header(HeaderNames.CONTENT_LENGTH, Long.toString(file.size()));
            copy(file, response);
            result = "sent";
        } finally {
            requests.with(result).increment();
        }
    }

    private static void copy(FileChannel file, ServerResponse response) throws IOException {
        var begin = System.nanoTime();
        var buffer = new byte[BUFFER_BYTES];
        try (var out = response.outputStream()) {
            var in = Channels.newInputStream(file);
            for (var length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                out.write(buffer, 0, length);
                if (System.nanoTime() - begin > MAX_TIME.toNanos()) {
                    throw new IOException("the replica takes too long to receive the module");
                }
            }
        }
    }
}
