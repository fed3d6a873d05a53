package io.portcullis.controller.policy.apply;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.controller.cluster.ApiWriter;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.controller.policy.observe.Observation;
import io.portcullis.controller.policy.observe.Observer;
import io.portcullis.core.lifecycle.PolicyPlan;
import io.portcullis.core.lifecycle.Step;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Plans and runs steps for one policy until there is nothing left to do. */
public final class PlanRunner {

    /** Steps of a plan normally leave nothing to do. A few repetitions cover concurrent changes by others. */
    private static final int MAX_ATTEMPTS = 4;

    private final PolicyObjects objects;
    private final Observer observer;
    private final StepRunner steps;

    /**
     * The result of all plans of a pass.
     *
     * @param observation the observation after the last step; absent when the policy is gone
     * @param refusal why the API server rejects the policy's content
     * @param failure the exception that stopped a step
     */
    public record Result(
            Optional<Observation> observation,
            Optional<String> refusal,
            Optional<Instant> recheckAt,
            Optional<RuntimeException> failure) {}

    public PlanRunner(PolicyObjects objects, Observer observer, StepRunner steps) {
        this.objects = objects;
        this.observer = observer;
        this.steps = steps;
    }

    /** @throws KubernetesClientException after a conflict; then the observation is stale */
    public Result run(Observation first) {
        var observation = Optional.of(first);
        var recheckAt = Optional.<Instant>empty();
        for (int attempt = 0; attempt < MAX_ATTEMPTS && observation.isPresent(); attempt++) {
            var plan = PolicyPlan.of(observation.get().observed());
            recheckAt = plan.recheckAt();
            var possible = possible(observation.get(), plan.steps());
            if (possible.isEmpty()) {
                break;
            }
            var refusal = Optional.<String>empty();
            var failure = Optional.<RuntimeException>empty();
            try {
                refusal = steps.run(observation.get(), possible);
                if (refusal.isPresent()) {
                    observe(first.policy().ref()).ifPresent(this::repairServedWebhook);
                }
            } catch (RuntimeException e) {
                if (e instanceof KubernetesClientException refused && ApiWriter.isConflict(refused)) {
                    throw e; // Conflict: our cached object is stale.
                }
                failure = Optional.of(e);
            }
            observation = observe(first.policy().ref());
            if (refusal.isPresent() || failure.isPresent()) {
                return new Result(observation, refusal, recheckAt, failure);
            }
        }
        return new Result(observation, Optional.empty(), recheckAt, Optional.empty());
    }

    /** Repairs the webhook of the previous generation, which may have drifted or need new certificates (E17, E19). */
    private void repairServedWebhook(Observation observation) {
        var plan = PolicyPlan.of(observation.observed().refused());
        var _ = steps.run(observation, possible(observation, plan.steps()));
    }

    /** Creates no revision of an unusable spec; the served revision stays. */
    private static List<Step> possible(Observation observation, List<Step> steps) {
        return observation.defect().isEmpty()
                ? steps
                : steps.stream()
                        .filter(step -> !(step instanceof Step.CreateRevision))
                        .toList();
    }

    private Optional<Observation> observe(PolicyRef ref) {
        return objects.policy(ref).map(observer::observe);
    }
}
