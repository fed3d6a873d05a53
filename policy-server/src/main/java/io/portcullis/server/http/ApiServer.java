package io.portcullis.server.http;

import io.portcullis.process.http.Listener;
import io.portcullis.process.tls.ServerTls;
import io.portcullis.server.evaluation.Evaluations;
import io.portcullis.server.standalone.PolicyState;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The API port. */
public final class ApiServer implements AutoCloseable {

    private final Listener listener;

    /**
     * @param grace how long requests under way may take after {@link #close}
     * @param policies what {@code GET /policies} shows
     * @param evidence what {@code GET /served} tells the controller; absent: nobody may ask
     */
    public ApiServer(
            InetSocketAddress address,
            Optional<ServerTls> tls,
            Duration grace,
            Evaluations evaluations,
            Supplier<List<PolicyState>> policies,
            Optional<EvidencePage> evidence,
            ApiLimits limits) {
        var handler = new ApiHandler(
                new EvaluationHandler(evaluations, limits.maxBodyBytes()), policies, evidence, limits.profiling());
        listener = new Listener(
                address,
                tls.map(serverTls -> new Listener.Security(serverTls.context(), serverTls.requiresClientCertificate())),
                grace,
                handler);
    }

    public int port() {
        return listener.port();
    }

    /** Goes on serving, but asks clients to go elsewhere when they can. */
    public void leave() {
        listener.leave();
    }

    /** Tells clients to leave, lets requests under way finish and accepts no more connections. */
    @Override
    public void close() {
        listener.close();
    }
}
