package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * How the StatefulSet takes over from the Deployment of an earlier release without a gap: the Service leads to the old
 * pods until the new ones have loaded every policy that a webhook sends here, then only to the new ones; when every node
 * has heard of that, the Deployment goes. While there is a Deployment no webhook may move to a path with a generation: old
 * pods would answer 404.
 *
 * @param selector of the pods that the Service leads to
 * @param switchedAt since when it leads to the new ones, while there is a Deployment; noted on the Service
 * @param waiting what the replacement waits for; empty: there is no Deployment, or it can go
 * @param removesDeployment whether the Deployment has served its time
 */
record Migration(
        Map<String, String> selector,
        Optional<Instant> switchedAt,
        Optional<String> waiting,
        boolean removesDeployment) {

    /** How long requests may still be sent to where the Service led before. */
    static final Duration SETTLING = Duration.ofSeconds(10);

    /** On the Service: since when it leads to the StatefulSet's pods. */
    static final String SWITCHED_AT = "kubewarden.io/switched-at";

    /** Label of the old pods that ours do not have. */
    private static final String CONFIG_VERSION = "kubewarden/config-version";

    /**
     * Decides.
     *
     * @param service as it is now
     * @param notLoaded policies with a webhook that not every new replica has loaded
     */
    static Migration decide(
            ServerNames names,
            Optional<Deployment> deployment,
            Optional<Service> service,
            Rollout rollout,
            List<String> notLoaded,
            Instant now) {
        if (deployment.isEmpty()) {
            return new Migration(ours(names), Optional.empty(), Optional.empty(), false);
        }
        if (service.filter(Migration::leadsToNewPods).isPresent()) {
            return switched(names, service.flatMap(Migration::switchedAt).orElse(now), now);
        }
        if (rollout.isRunning()) {
            return before(names, deployment.get(), "the replicas that replace the Deployment: " + rollout.text());
        }
        if (!notLoaded.isEmpty()) {
            return before(names, deployment.get(), "policies to be loaded: " + String.join(", ", notLoaded));
        }
        return switched(names, now, now);
    }

    private static boolean leadsToNewPods(Service service) {
        var selector = service.getSpec().getSelector();
        return selector != null && selector.containsKey(ServerNames.WORKLOAD);
    }

    /** A note that somebody spoilt is written anew, and the time begins again. */
    private static Optional<Instant> switchedAt(Service service) {
        var annotations = Objects.requireNonNullElse(service.getMetadata().getAnnotations(), Map.<String, String>of());
        try {
            return Optional.ofNullable(annotations.get(SWITCHED_AT)).map(Instant::parse);
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** There is no way back: old pods may be gone already. */
    private static Migration switched(ServerNames names, Instant at, Instant now) {
        boolean isSettled = !now.isBefore(at.plus(SETTLING));
        return new Migration(
                ours(names),
                Optional.of(at),
                isSettled
                        ? Optional.empty()
                        : Optional.of("waiting for every node to hear that the Service leads to the new replicas"),
                isSettled);
    }

    private static Migration before(ServerNames names, Deployment deployment, String what) {
        var template = deployment.getSpec().getTemplate().getMetadata();
        var labels = template == null ? null : template.getLabels();
        var old = new LinkedHashMap<>(names.selector());
        var version =
                Objects.requireNonNullElse(labels, Map.<String, String>of()).get(CONFIG_VERSION);
        if (version != null) {
            old.put(CONFIG_VERSION, version);
        }
        return new Migration(old, Optional.empty(), Optional.of("waiting for " + what), false);
    }

    private static Map<String, String> ours(ServerNames names) {
        var selector = names.selector();
        selector.put(ServerNames.WORKLOAD, ServerNames.WORKLOAD_VALUE);
        return selector;
    }

    /** When time alone will ask for more. */
    Optional<Duration> recheck(Instant now) {
        return removesDeployment
                ? Optional.empty()
                : switchedAt.map(at -> Duration.between(now, at.plus(SETTLING)).plusMillis(1));
    }

    /** What is to be remembered on the Service. */
    Map<String, String> annotations() {
        return switchedAt.map(at -> Map.of(SWITCHED_AT, at.toString())).orElse(Map.of());
    }
}
