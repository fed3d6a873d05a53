package io.portcullis.server.http;

import io.portcullis.process.http.Listener;
import io.portcullis.process.http.RequestBodies;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.probe.SelfCheck;
import io.portcullis.process.tls.ServerTls;
import io.portcullis.server.evaluation.Evaluations;
import io.portcullis.server.source.PolicyLoadState;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The API port. */
public final class ApiServer implements AutoCloseable {

    /** The path to which the server sends its self-check review. */
    static final String SELF_CHECK = "/self-check/review";

    private static final byte[] CANNED_REVIEW = """
            {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{
            "uid":"00000000-0000-0000-0000-000000000000","operation":"CREATE","name":"self-check",
            "kind":{"group":"","version":"v1","kind":"ConfigMap"},
            "resource":{"group":"","version":"v1","resource":"configmaps"},
            "userInfo":{"username":"self-check"},"object":{"apiVersion":"v1","kind":"ConfigMap"}}}""".getBytes(StandardCharsets.UTF_8);

    private final Listener listener;

    /**
     * Starts to listen.
     *
     * @param grace the time that running requests may take after {@link #close}
     * @param policies the states for {@code GET /policies}
     * @param evidence the page {@code GET /served} for the controller; if empty, the path answers 404
     * @param modules the page {@code GET /modules/<digest>} for other replicas; if empty, the path answers 404
     */
    public ApiServer(
            InetSocketAddress address,
            Optional<ServerTls> tls,
            Duration grace,
            Evaluations evaluations,
            Supplier<List<PolicyLoadState>> policies,
            Optional<EvidencePage> evidence,
            Optional<ModulesPage> modules,
            ApiLimits limits,
            boolean profiling,
            Metrics metrics) {
        var bodies = new RequestBodies(limits.maxBodyBytes(), limits.maxTotalBodyBytes(), metrics);
        listener = new Listener(
                address,
                tls.map(serverTls -> new Listener.Security(serverTls.context(), serverTls.requiresClientCertificate())),
                limits.clients(),
                grace,
                new ApiHandler(new EvaluationHandler(evaluations, bodies), policies, evidence, modules, profiling),
                metrics);
    }

    /** Starts to check the API port and the evaluation pool from inside the process. */
    public SelfCheck startSelfCheck() {
        return SelfCheck.of(listener, SELF_CHECK, CANNED_REVIEW);
    }

    public int port() {
        return listener.port();
    }

    /** Keeps serving, but asks clients to close their connections and use other replicas. */
    public void drainConnections() {
        listener.leave();
    }

    /**
     * Accepts no more connections, asks clients to close theirs, and lets running requests finish.
     *
     * @param limit the time after which every connection is closed, even with a running request
     */
    public void close(Duration limit) {
        listener.close(limit);
    }

    @Override
    public void close() {
        listener.close();
    }
}
