package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * How the StatefulSet takes over from the Deployment of an earlier release without a gap: the Service leads to the old
 * pods until the new ones have loaded every policy that a webhook sends here, then only to the new ones; after that the
 * Deployment goes. While there is a Deployment no webhook may move to a path with a generation: old pods would answer 404.
 *
 * @param selector of the pods that the Service leads to
 * @param waiting what the replacement waits for; empty: there is no Deployment, or it can go
 * @param removesDeployment whether the Deployment has served its time
 */
record Migration(Map<String, String> selector, Optional<String> waiting, boolean removesDeployment) {

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
            List<String> notLoaded) {
        var ours = names.selector();
        ours.put(ServerNames.WORKLOAD, ServerNames.WORKLOAD_VALUE);
        if (deployment.isEmpty()) {
            return new Migration(ours, Optional.empty(), false);
        }
        var hasSwitched = service.map(found -> found.getSpec().getSelector())
                .filter(selector -> selector.containsKey(ServerNames.WORKLOAD))
                .isPresent();
        if (hasSwitched) {
            return new Migration(ours, Optional.empty(), true);
        }
        if (rollout.isRunning()) {
            return waiting(names, deployment.get(), "the replicas that replace the Deployment: " + rollout.text());
        }
        if (!notLoaded.isEmpty()) {
            return waiting(names, deployment.get(), "policies to be loaded: " + String.join(", ", notLoaded));
        }
        return new Migration(ours, Optional.of("the Service to lead to the new replicas"), false);
    }

    private static Migration waiting(ServerNames names, Deployment deployment, String what) {
        var template = deployment.getSpec().getTemplate().getMetadata();
        var labels = template == null ? null : template.getLabels();
        var old = new LinkedHashMap<>(names.selector());
        var version =
                Objects.requireNonNullElse(labels, Map.<String, String>of()).get(CONFIG_VERSION);
        if (version != null) {
            old.put(CONFIG_VERSION, version);
        }
        return new Migration(old, Optional.of("waiting for " + what), false);
    }
}
