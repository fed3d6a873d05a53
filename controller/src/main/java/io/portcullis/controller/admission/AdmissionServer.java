package io.portcullis.controller.admission;

import io.portcullis.process.http.Listener;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.tls.SwappableTls;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** The HTTPS port that the API server calls before it stores one of our resources. */
public final class AdmissionServer implements AutoCloseable {

    /** Requests under way may take so long after {@link #close}; the API server waits no longer anyway. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Listener listener;

    public AdmissionServer(InetSocketAddress address, SwappableTls tls, Admissions admissions, Metrics metrics) {
        listener = new Listener(
                address,
                Optional.of(new Listener.Security(tls.context(), tls.requiresClientCertificate())),
                GRACE,
                new AdmissionHandler(admissions, metrics));
    }

    public int port() {
        return listener.port();
    }

    /** Tells clients to leave, lets requests under way finish and accepts no more connections. */
    @Override
    public void close() {
        listener.close();
    }
}
