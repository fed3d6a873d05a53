package io.portcullis.controller.policyserver.rollout;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.portcullis.controller.policyserver.spec.ServerNames;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Plans how the StatefulSet replaces the Deployment of an earlier release without a gap. The Service selects the old
 * pods until the new ones have loaded every policy that a webhook sends here. Then it selects only the new ones. Once
 * every node has received that change, the Deployment is deleted. While the Deployment exists, no webhook may move to a
 * path with a generation, because old pods would answer 404.
 *
 * @param selector of the pods that the Service sends requests to
 * @param switchedAt since when the Service selects the new pods, while there is a Deployment; stored on the Service
 * @param waiting what the replacement waits for; empty if there is no Deployment, or it can be deleted
 * @param removesDeployment whether the Deployment is no longer needed
 */
public record Migration(
        Map<String, String> selector,
        Optional<Instant> switchedAt,
        Optional<String> waiting,
        boolean removesDeployment) {

    /** How long nodes may still send requests to the previous pods of the Service. */
    static final Duration SETTLING = Duration.ofSeconds(10);

    /** Annotation of the Service: since when it selects the StatefulSet's pods. */
    static final String SWITCHED_AT = "kubewarden.io/switched-at";

    /** Label of the old pods that ours do not have. */
    private static final String CONFIG_VERSION = "kubewarden/config-version";

    /**
     * Decides the next step.
     *
     * @param service the live Service
     * @param notLoaded policies with a webhook that not every new replica has loaded
     */
    public static Migration decide(
            ServerNames names,
            Optional<Deployment> deployment,
            Optional<Service> service,
            Rollout rollout,
            List<String> notLoaded,
            Instant now) {
        if (deployment.isEmpty()) {
            return new Migration(newPodsSelector(names), Optional.empty(), Optional.empty(), false);
        }
        if (service.filter(Migration::selectsNewPods).isPresent()) {
            return afterSwitch(names, service.flatMap(Migration::switchedAt).orElse(now), now);
        }
        if (rollout.isRunning()) {
            return beforeSwitch(names, deployment.get(), "the replicas that replace the Deployment: " + rollout.text());
        }
        if (!notLoaded.isEmpty()) {
            return beforeSwitch(names, deployment.get(), "policies to be loaded: " + String.join(", ", notLoaded));
        }
        return afterSwitch(names, now, now);
    }

    private static boolean selectsNewPods(Service service) {
        var selector = service.getSpec().getSelector();
        return selector != null && selector.containsKey(ServerNames.WORKLOAD);
    }

    /** An unreadable annotation is written again, and the time starts over. */
    private static Optional<Instant> switchedAt(Service service) {
        var annotations = Objects.requireNonNullElse(service.getMetadata().getAnnotations(), Map.<String, String>of());
        try {
            return Optional.ofNullable(annotations.get(SWITCHED_AT)).map(Instant::parse);
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** Once switched, the Service stays switched, because old pods may already be gone. */
    private static Migration afterSwitch(ServerNames names, Instant at, Instant now) {
        boolean isSettled = !now.isBefore(at.plus(SETTLING));
        return new Migration(
                newPodsSelector(names),
                Optional.of(at),
                isSettled
                        ? Optional.empty()
                        : Optional.of("waiting for every node to route the Service to the new replicas"),
                isSettled);
    }

    private static Migration beforeSwitch(ServerNames names, Deployment deployment, String cause) {
        var template = deployment.getSpec().getTemplate().getMetadata();
        var labels = template == null ? null : template.getLabels();
        var old = new LinkedHashMap<>(names.selector());
        var version =
                Objects.requireNonNullElse(labels, Map.<String, String>of()).get(CONFIG_VERSION);
        if (version != null) {
            old.put(CONFIG_VERSION, version);
        }
        return new Migration(old, Optional.empty(), Optional.of("waiting for " + cause), false);
    }

    private static Map<String, String> newPodsSelector(ServerNames names) {
        var selector = names.selector();
        selector.put(ServerNames.WORKLOAD, ServerNames.WORKLOAD_VALUE);
        return selector;
    }

    /** When to reconcile again without an event. */
    public Optional<Duration> recheck(Instant now) {
        return removesDeployment
                ? Optional.empty()
                : switchedAt.map(at -> Duration.between(now, at.plus(SETTLING)).plusMillis(1));
    }

    /** The annotations of the Service. */
    public Map<String, String> annotations() {
        return switchedAt.map(at -> Map.of(SWITCHED_AT, at.toString())).orElse(Map.of());
    }
}
