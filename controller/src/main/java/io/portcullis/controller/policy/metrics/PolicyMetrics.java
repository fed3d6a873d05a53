package io.portcullis.controller.policy.metrics;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.process.metrics.Counter;
import io.portcullis.process.metrics.Description;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Histogram;
import io.portcullis.process.metrics.Metrics;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Metrics about policies. Gauges read the existing policies, so a deleted policy has no series. */
public final class PolicyMetrics {

    private static final double[] SECONDS = {0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 120, 300};

    private final IdentityScheme scheme;
    private final Counter drift;
    private final Family<Counter> rollbacks;
    private final Histogram activation;
    /** How long the latest change of each policy took, by policy id. */
    private final Map<String, Duration> activations = new ConcurrentHashMap<>();

    /**
     * Registers all metrics.
     *
     * @param policies the existing policies, at each scrape
     * @param readyReplicas of each PolicyServer, at each scrape
     * @param wantedReplicas the desired replicas of each PolicyServer, at each scrape
     */
    public PolicyMetrics(
            Metrics metrics,
            IdentityScheme scheme,
            Supplier<Stream<Policy>> policies,
            Supplier<Map<String, Long>> readyReplicas,
            Supplier<Map<String, Long>> wantedReplicas) {
        this.scheme = scheme;
        TenancyMetrics.register(metrics, policies);
        this.drift = metrics.counter("kubewarden_webhook_drift", "Webhooks that others changed and we repaired")
                .with();
        this.rollbacks = metrics.counter("kubewarden_rollback", "Rollbacks asked for", "result");
        this.activation = metrics.histogram(
                        new Description(
                                "kubewarden_policy_activation",
                                "seconds",
                                "From a policy's change to its webhook pointing at it",
                                List.of()),
                        SECONDS)
                .with();
        gauge(
                metrics,
                policies,
                "kubewarden_policy_total",
                "Policies that exist",
                List.of(
                        "name",
                        "policy_server",
                        "module",
                        "mutating",
                        "namespace",
                        "failure_policy",
                        "policy_status",
                        "phase",
                        "mode"),
                this::labels,
                _ -> 1L);
        gauge(
                metrics,
                policies,
                "kubewarden_policy_phase",
                "The phase that each policy is in",
                List.of("name", "phase"),
                policy -> List.of(id(policy), phase(policy)),
                _ -> 1L);
        gauge(
                metrics,
                policies,
                "kubewarden_policy_enforced",
                "Whether the latest generation of a policy is proved to be enforced",
                List.of("name"),
                policy -> List.of(id(policy)),
                policy -> isEnforced(policy) ? 1L : 0L);
        gauge(
                metrics,
                policies,
                "kubewarden_policy_generation_lag",
                "Generations by which the enforced version of a policy is behind",
                List.of("name"),
                policy -> List.of(id(policy)),
                PolicyMetrics::lag);
        gauge(
                metrics,
                () -> policies.get().filter(policy -> activations.containsKey(id(policy))),
                "kubewarden_policy_last_activation_milliseconds",
                "How long the latest change of a policy took to come into effect, as far as this process saw it",
                List.of("name"),
                policy -> List.of(id(policy)),
                policy -> activations.getOrDefault(id(policy), Duration.ZERO).toMillis());
        serverGauge(
                metrics,
                "kubewarden_policyserver_replicas_ready",
                "Replicas of a PolicyServer that get requests",
                readyReplicas);
        serverGauge(
                metrics,
                "kubewarden_policyserver_replicas_wanted",
                "Replicas that a PolicyServer asks for",
                wantedReplicas);
    }

    private static void serverGauge(Metrics metrics, String name, String help, Supplier<Map<String, Long>> numbers) {
        metrics.gauges(new Description(name, "", help, List.of("policy_server")), () -> {
            Map<List<String>, Long> series = new HashMap<>();
            numbers.get().forEach((server, number) -> series.put(List.of(server), number));
            return series;
        });
    }

    private static void gauge(
            Metrics metrics,
            Supplier<Stream<Policy>> policies,
            String name,
            String help,
            List<String> labels,
            Function<Policy, List<String>> values,
            Function<Policy, Long> number) {
        metrics.gauges(new Description(name, "", help, labels), () -> {
            Map<List<String>, Long> series = new HashMap<>();
            policies.get().forEach(policy -> series.put(values.apply(policy), number.apply(policy)));
            return series;
        });
    }

    private String id(Policy policy) {
        return scheme.policyId(policy.ref());
    }

    private List<String> labels(Policy policy) {
        var spec = policy.getSpec();
        var status = policy.getStatus();
        return List.of(
                id(policy),
                policy.policyServerName(),
                spec.path("module").asText(""),
                Boolean.toString(spec.path("mutating").asBoolean(false)),
                policy.ref().namespace(),
                spec.path("failurePolicy").asText("Fail"),
                status == null
                        ? PolicyState.PENDING.wireName()
                        : status.policyStatus().wireName(),
                phase(policy),
                status == null ? PolicyStatus.MODE_UNKNOWN : status.mode());
    }

    private static String phase(Policy policy) {
        return policy.getStatus() == null
                ? "Pending"
                : policy.getStatus().phase().wireName();
    }

    private static boolean isEnforced(Policy policy) {
        return policy.getStatus() != null
                && policy.getStatus()
                        .condition(ConditionType.ENFORCED)
                        .filter(Condition::isTrue)
                        .isPresent();
    }

    private static long lag(Policy policy) {
        return isOverridden(policy) ? 0 : behind(policy);
    }

    /** Whether precedence leaves the policy without webhook, whatever its generation. */
    private static boolean isOverridden(Policy policy) {
        return policy.getStatus() != null
                && policy.getStatus()
                        .condition(ConditionType.ENFORCED)
                        .filter(enforced -> enforced.reason().equals("Overridden"))
                        .isPresent();
    }

    private static long behind(Policy policy) {
        return generation(policy.getMetadata().getGeneration())
                - (policy.getStatus() == null ? 0 : policy.getStatus().activeGeneration());
    }

    private static long generation(@Nullable Long generation) {
        return Objects.requireNonNullElse(generation, 0L);
    }

    public void driftCorrected() {
        drift.increment();
    }

    public void rolledBack(boolean succeeded) {
        rollbacks.with(succeeded ? "done" : "refused").increment();
    }

    public void activated(String policyId, Instant changed, Instant registered) {
        var took = Duration.between(changed, registered);
        activation.record(took.toMillis() / 1000.0);
        activations.put(policyId, took);
    }

    public void deleted(String policyId) {
        activations.remove(policyId);
    }
}
