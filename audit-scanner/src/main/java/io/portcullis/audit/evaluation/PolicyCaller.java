package io.portcullis.audit.evaluation;

import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.policy.AuditedPolicy;
import io.portcullis.audit.policy.Endpoint;
import io.portcullis.audit.policy.PolicyDiscovery;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends reviews to one policy at its current endpoint. If the policy server does not know the policy, the policy has
 * moved or is about to move. One thread then looks up the webhook again while the others wait. A policy that stays
 * unreachable is skipped for the rest of the run.
 */
public final class PolicyCaller {

    /** Number of retries after a 404; about 12 s with the default backoff. */
    static final int MAX_LOOKUPS = 6;

    /** Number of retries after a transient failure. */
    static final int RETRIES = 3;

    /** Maximum duration of failures; a rolling update takes less. */
    private static final Duration MAX_OUTAGE = Duration.ofSeconds(20);

    /** Dependencies that all callers share. */
    public record Dependencies(PolicyServers servers, PolicyDiscovery discovery, Retries retries) {}

    private final AuditedPolicy policy;
    private final Dependencies dependencies;
    private final ReentrantLock lookupLock = new ReentrantLock();
    private final RetryTimeout retryTimeout = new RetryTimeout(MAX_OUTAGE, System::nanoTime);
    private volatile Endpoint endpoint;
    private volatile @Nullable String givenUp;

    public PolicyCaller(AuditedPolicy policy, Dependencies dependencies) {
        this.policy = policy;
        this.dependencies = dependencies;
        this.endpoint = policy.webhook().endpoint();
    }

    public AuditedPolicy policy() {
        return policy;
    }

    /** Returns the reason why the policy was given up, if it was. */
    public Optional<String> givenUp() {
        return Optional.ofNullable(givenUp);
    }

    public AuditVerdict evaluate(byte[] review) throws InterruptedException {
        var giveUpReason = givenUp;
        var target = endpoint;
        if (giveUpReason != null) {
            return AuditVerdict.error(giveUpReason, target.generation());
        }
        var answer = ask(target, review);
        return answer instanceof PolicyServerAnswer.Unknown
                ? retryAtNewEndpoint(target, review)
                : verdict(answer, target);
    }

    private PolicyServerAnswer ask(Endpoint target, byte[] review) throws InterruptedException {
        var answer = dependencies.servers().ask(target, review);
        for (var retry = 1; retry <= RETRIES && answer instanceof PolicyServerAnswer.Transient; retry++) {
            dependencies.retries().pause(retry);
            answer = dependencies.servers().ask(target, review);
        }
        if (!(answer instanceof PolicyServerAnswer.Transient failure)) {
            retryTimeout.succeeded();
        } else if (retryTimeout.failed()) {
            givenUp = failure.reason() + "; given up after " + MAX_OUTAGE.toSeconds() + " s";
        }
        return answer;
    }

    /** @param stale the endpoint that does not know the policy */
    private AuditVerdict retryAtNewEndpoint(Endpoint stale, byte[] review) throws InterruptedException {
        lookupLock.lockInterruptibly();
        try {
            var giveUpReason = givenUp;
            if (giveUpReason != null) {
                return AuditVerdict.error(giveUpReason, stale.generation());
            }
            if (!endpoint.equals(stale)) {
                var found = endpoint;
                var answer = ask(found, review);
                if (!(answer instanceof PolicyServerAnswer.Unknown)) {
                    return verdict(answer, found);
                }
            }
            return lookUpAndRetry(review);
        } finally {
            lookupLock.unlock();
        }
    }

    private AuditVerdict lookUpAndRetry(byte[] review) throws InterruptedException {
        for (var retry = 1; retry <= MAX_LOOKUPS; retry++) {
            dependencies.retries().pause(retry);
            var found = lookUp();
            if (found.isEmpty()) {
                return giveUp("the policy is not enforced any more: its webhook configuration is gone");
            }
            endpoint = found.get();
            var answer = ask(found.get(), review);
            if (!(answer instanceof PolicyServerAnswer.Unknown)) {
                return verdict(answer, found.get());
            }
        }
        var missing = endpoint.generation() == 0 ? "policy" : "policy generation " + endpoint.generation();
        return giveUp(missing + " not reachable after " + MAX_LOOKUPS + " attempts");
    }

    /** Returns the current endpoint. If the API server is unreachable, returns the last known endpoint. */
    private Optional<Endpoint> lookUp() {
        try {
            return dependencies.discovery().currentEndpoint(policy);
        } catch (ApiException e) {
            return Optional.of(endpoint);
        }
    }

    private AuditVerdict giveUp(String reason) {
        givenUp = reason;
        return AuditVerdict.error(reason, endpoint.generation());
    }

    private static AuditVerdict verdict(PolicyServerAnswer answer, Endpoint from) {
        return switch (answer) {
            case PolicyServerAnswer.Evaluated evaluated ->
                new AuditVerdict(evaluated.result(), evaluated.message(), from.generation());
            case PolicyServerAnswer.Unknown unknown -> AuditVerdict.error(unknown.reason(), from.generation());
            case PolicyServerAnswer.Transient failure -> AuditVerdict.error(failure.reason(), from.generation());
            case PolicyServerAnswer.Permanent permanent -> AuditVerdict.error(permanent.reason(), from.generation());
        };
    }
}
