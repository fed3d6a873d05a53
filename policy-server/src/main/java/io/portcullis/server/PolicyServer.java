package io.portcullis.server;

import io.portcullis.process.probe.ProbeServer;
import io.portcullis.process.signals.Drain;
import io.portcullis.server.evaluation.Evaluations;
import io.portcullis.server.http.ApiServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** A server whose parts are running: what it does when it becomes ready and when it leaves. */
final class PolicyServer implements Drain.Steps {

    private final AtomicBoolean ready;
    private final ApiServer api;
    private final ProbeServer probe;
    private final Evaluations evaluations;

    /** @param ready what {@code /readiness} answers */
    PolicyServer(AtomicBoolean ready, ApiServer api, ProbeServer probe, Evaluations evaluations) {
        this.ready = ready;
        this.api = api;
        this.probe = probe;
        this.evaluations = evaluations;
    }

    int apiPort() {
        return api.port();
    }

    int probePort() {
        return probe.port();
    }

    void becomeReady() {
        ready.set(true);
    }

    @Override
    public void becomeUnready() {
        ready.set(false);
    }

    @Override
    public void stopAccepting() {
        api.close();
    }

    @Override
    public boolean awaitIdle(Duration limit) throws InterruptedException {
        return evaluations.awaitIdle(limit);
    }
}
