package io.portcullis.server.http;

import io.portcullis.process.http.Listener;
import io.portcullis.process.http.RequestBodies;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.probe.SelfCheck;
import io.portcullis.process.tls.ServerTls;
import io.portcullis.server.evaluation.Evaluations;
import io.portcullis.server.standalone.StandalonePolicyState;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The API port. */
public final class ApiServer implements AutoCloseable {

    /** Where the server sends a canned review to itself. */
    static final String SELF_CHECK = "/self-check/review";

    private static final byte[] CANNED_REVIEW = """
            {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{
            "uid":"00000000-0000-0000-0000-000000000000","operation":"CREATE","name":"self-check",
            "kind":{"group":"","version":"v1","kind":"ConfigMap"},
            "resource":{"group":"","version":"v1","resource":"configmaps"},
            "userInfo":{"username":"self-check"},"object":{"apiVersion":"v1","kind":"ConfigMap"}}}""".getBytes(StandardCharsets.UTF_8);

    private final Listener listener;

    /**
     * Listens from now on.
     *
     * @param grace how long requests under way may take after {@link #close}
     * @param policies what {@code GET /policies} shows
     * @param evidence what {@code GET /served} tells the controller; absent: nobody may ask
     */
    public ApiServer(
            InetSocketAddress address,
            Optional<ServerTls> tls,
            Duration grace,
            Evaluations evaluations,
            Supplier<List<StandalonePolicyState>> policies,
            Optional<EvidencePage> evidence,
            ApiLimits limits,
            boolean profiling,
            Metrics metrics) {
        var bodies = new RequestBodies(limits.maxBodyBytes(), limits.maxTotalBodyBytes(), metrics);
        listener = new Listener(
                address,
                tls.map(serverTls -> new Listener.Security(serverTls.context(), serverTls.requiresClientCertificate())),
                limits.clients(),
                grace,
                new ApiHandler(new EvaluationHandler(evaluations, bodies), policies, evidence, profiling),
                metrics);
    }

    /** Starts to check the port, and the evaluations behind it, from inside. */
    public SelfCheck startSelfCheck() {
        return SelfCheck.of(listener, SELF_CHECK, CANNED_REVIEW);
    }

    public int port() {
        return listener.port();
    }

    /** Goes on serving, but asks clients to go elsewhere when they can. */
    public void leave() {
        listener.leave();
    }

    /**
     * Asks clients to leave, lets requests under way finish and accepts no more connections.
     *
     * @param limit after it every connection is closed, whatever is under way
     */
    public void close(Duration limit) {
        listener.close(limit);
    }

    @Override
    public void close() {
        listener.close();
    }
}
