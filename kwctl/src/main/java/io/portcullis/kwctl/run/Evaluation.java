package io.portcullis.kwctl.run;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.host.GatedHostCapabilities;
import io.portcullis.evaluator.host.HostCallObserver;
import io.portcullis.evaluator.host.PolicyLog;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The evaluator together with the backend for host calls. Not thread-safe. */
public final class Evaluation implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("kwctl::run");

    static final Option TRACE = Option.flag(
            "trace-host-calls", "Log every call of the policy to its host, how it ended and how long it took");

    private final LiveHost live;
    private final HostSession host;
    private final LocalEvaluator evaluator;

    public Evaluation(
            CompiledModuleCache cache, Optional<Duration> timeout, ParsedArguments arguments, CommandSession session) {
        this.live = new LiveHost(arguments, session);
        this.host = new HostSession(live);
        this.evaluator = new LocalEvaluator(
                new GatedHostCapabilities(
                        host, PolicyLog.slf4j(), arguments.has(TRACE) ? new HostCallTrace() : HostCallObserver.none()),
                cache,
                timeout,
                session.clock());
    }

    /** Loads a policy, evaluates a request, and closes the policy. */
    public AdmissionResponse judge(PolicyRun policy, RequestDocument request, Modules modules, HostSession.Mode mode) {
        try (var loaded = load(policy, modules, mode)) {
            var verdict = loaded.audit(request.forPolicy(policy.isRaw()));
            host.finish(policy.id());
            if (policy.mode() == PolicyMode.MONITOR) {
                logMonitoredVerdict(policy.id(), verdict.response());
            }
            return loaded.enforce(verdict);
        }
    }

    /**
     * Logs the verdict of a policy in monitor mode. The response always allows the request, so that the verdict would
     * otherwise be lost.
     */
    private static void logMonitoredVerdict(String id, AdmissionResponse verdict) {
        log.atInfo()
                .addKeyValue("policy_id", id)
                .addKeyValue("allowed", verdict.allowed())
                .addKeyValue(
                        "message", verdict.status().flatMap(Status::message).orElse(""))
                .log("policy evaluation (monitor mode)");
    }

    /** Loads a policy. The caller closes it. The settings validation may already consume the start of a replay. */
    public LoadedPolicy load(PolicyRun policy, Modules modules, HostSession.Mode mode) {
        host.begin(mode);
        return evaluator.load(policy, modules);
    }

    /** Restarts a recording from its beginning, for callers that evaluate a loaded policy many times. */
    public void rewind(HostSession.Mode mode) {
        host.begin(mode);
    }

    @Override
    public void close() {
        evaluator.close();
        live.close();
    }
}
