package io.portcullis.controller.admission.http;

import io.portcullis.controller.admission.rules.Admissions;
import io.portcullis.process.http.Listener;
import io.portcullis.process.http.ListenerLimits;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.probe.SelfCheck;
import io.portcullis.process.tls.SwappableTls;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** The HTTPS server that the API server calls before it stores one of our resources. */
public final class AdmissionServer implements AutoCloseable {

    /** How long requests in flight may take after {@link #close}; the API server waits no longer than this. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final AdmissionHandler handler;
    private final Listener listener;

    public AdmissionServer(InetSocketAddress address, SwappableTls tls, Admissions admissions, Metrics metrics) {
        handler = new AdmissionHandler(admissions, metrics);
        listener = new Listener(
                address,
                Optional.of(new Listener.Security(tls.context(), tls.requiresClientCertificate())),
                ListenerLimits.DEFAULT,
                GRACE,
                handler,
                metrics);
    }

    /** Starts to check the port from inside the process. */
    public SelfCheck startSelfCheck() {
        return SelfCheck.of(listener);
    }

    public int port() {
        return listener.port();
    }

    /** Keeps serving, but asks clients to close their connections. */
    public void startDrain() {
        listener.leave();
    }

    /** How long ago the last request arrived. */
    public Duration sinceLastRequest() {
        return handler.sinceLastRequest();
    }

    /**
     * Asks clients to close their connections, finishes requests in flight and accepts no more connections.
     *
     * @param limit after which every connection is closed, even with requests in flight
     */
    public void close(Duration limit) {
        listener.close(limit);
    }

    @Override
    public void close() {
        listener.close();
    }
}
