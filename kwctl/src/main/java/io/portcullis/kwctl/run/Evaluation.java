package io.portcullis.kwctl.run;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.host.GatedHostCapabilities;
import io.portcullis.evaluator.host.HostCallObserver;
import io.portcullis.evaluator.host.PolicyLog;
import io.portcullis.kwctl.args.Option;
import io.portcullis.kwctl.args.ParsedArguments;
import io.portcullis.kwctl.cli.CommandSession;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The evaluator together with what answers its policies' host calls. Used by one thread. */
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

    /** Loads a policy, lets it judge, and lets it go. */
    public AdmissionResponse judge(PolicyRun policy, RequestDocument request, Modules modules, HostSession.Mode mode) {
        try (var loaded = load(policy, modules, mode)) {
            var verdict = loaded.audit(request.forPolicy(policy.isRaw()));
            host.finish(policy.id());
            if (policy.mode() == PolicyMode.MONITOR) {
                tellUnenforced(policy.id(), verdict);
            }
            return loaded.enforce(verdict);
        }
    }

    /** Monitored requests are always allowed; what the policy thinks of them would otherwise be lost. */
    private static void tellUnenforced(String id, AdmissionResponse verdict) {
        log.atInfo()
                .addKeyValue("policy_id", id)
                .addKeyValue("allowed", verdict.allowed())
                .addKeyValue(
                        "message", verdict.status().flatMap(Status::message).orElse(""))
                .log("policy evaluation (monitor mode)");
    }

    /** The caller closes it. Validating the settings may already use up the beginning of a replay. */
    public LoadedPolicy load(PolicyRun policy, Modules modules, HostSession.Mode mode) {
        host.begin(mode);
        return evaluator.load(policy.id(), policy.entry(), modules);
    }

    /** Plays a recording from its beginning again, for who evaluates a loaded policy many times. */
    public void rewind(HostSession.Mode mode) {
        host.begin(mode);
    }

    @Override
    public void close() {
        evaluator.close();
        live.close();
    }
}
