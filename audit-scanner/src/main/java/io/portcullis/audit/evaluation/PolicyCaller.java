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
 * Asks one policy, wherever it is now. When its server does not know it, its webhook has moved or is about to: one thread
 * then follows the webhook, the others wait for it. A policy that stays away is given up for the rest of the run.
 */
public final class PolicyCaller {

    /** How often to ask again after a 404; about 12 s with the usual backoff. */
    static final int FOLLOWING = 6;

    /** How often to ask again when a server is not well. */
    static final int RETRIES = 3;

    /** A rolling update of a server takes less. */
    private static final Duration OUTAGE = Duration.ofSeconds(20);

    /** What callers share. */
    public record Means(PolicyServers servers, PolicyDiscovery discovery, Retries retries) {}

    private final AuditedPolicy policy;
    private final Means means;
    private final ReentrantLock following = new ReentrantLock();
    private final RetryTimeout patience = new RetryTimeout(OUTAGE, System::nanoTime);
    private volatile Endpoint endpoint;
    private volatile @Nullable String givenUp;

    public PolicyCaller(AuditedPolicy policy, Means means) {
        this.policy = policy;
        this.means = means;
        this.endpoint = policy.webhook().endpoint();
    }

    public AuditedPolicy policy() {
        return policy;
    }

    /** Why it was given up, if it was. */
    public Optional<String> givenUp() {
        return Optional.ofNullable(givenUp);
    }

    public AuditVerdict judge(byte[] review) throws InterruptedException {
        var lost = givenUp;
        var asked = endpoint;
        if (lost != null) {
            return AuditVerdict.error(lost, asked.generation());
        }
        var answer = ask(asked, review);
        return answer instanceof PolicyServerAnswer.Unknown ? follow(asked, review) : verdict(answer, asked);
    }

    private PolicyServerAnswer ask(Endpoint target, byte[] review) throws InterruptedException {
        var answer = means.servers().ask(target, review);
        for (var retry = 1; retry <= RETRIES && answer instanceof PolicyServerAnswer.Transient; retry++) {
            means.retries().pause(retry);
            answer = means.servers().ask(target, review);
        }
        if (!(answer instanceof PolicyServerAnswer.Transient passing)) {
            patience.answered();
        } else if (patience.failed()) {
            givenUp = passing.reason() + "; given up after " + OUTAGE.toSeconds() + " s";
        }
        return answer;
    }

    /** @param stale where it was not known */
    private AuditVerdict follow(Endpoint stale, byte[] review) throws InterruptedException {
        following.lockInterruptibly();
        try {
            var lost = givenUp;
            if (lost != null) {
                return AuditVerdict.error(lost, stale.generation());
            }
            if (!endpoint.equals(stale)) {
                var found = endpoint;
                var answer = ask(found, review);
                if (!(answer instanceof PolicyServerAnswer.Unknown)) {
                    return verdict(answer, found);
                }
            }
            return followAlone(review);
        } finally {
            following.unlock();
        }
    }

    private AuditVerdict followAlone(byte[] review) throws InterruptedException {
        for (var retry = 1; retry <= FOLLOWING; retry++) {
            means.retries().pause(retry);
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
        return giveUp(missing + " not reachable after " + FOLLOWING + " attempts");
    }

    /** An API server that does not answer leaves us with what we knew. */
    private Optional<Endpoint> lookUp() {
        try {
            return means.discovery().whereIs(policy);
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
            case PolicyServerAnswer.Judged judged ->
                new AuditVerdict(judged.result(), judged.message(), from.generation());
            case PolicyServerAnswer.Unknown unknown -> AuditVerdict.error(unknown.reason(), from.generation());
            case PolicyServerAnswer.Transient passing -> AuditVerdict.error(passing.reason(), from.generation());
            case PolicyServerAnswer.Broken broken -> AuditVerdict.error(broken.reason(), from.generation());
        };
    }
}
