package io.portcullis.controller.policy.status;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.evidence.ReplicaProber;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.controller.policy.objects.Servers;
import io.portcullis.controller.policy.webhook.LiveWebhook;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Provides the prober with replicas, certificates and tokens from the watch caches. */
public record ReplicaEvidence(
        String namespace, ClusterView view, PolicyObjects objects, Servers servers, Supplier<Optional<String>> caBundle)
        implements ReplicaProber.Fleet {

    /** Two during a certificate rotation; more than that means tampering. */
    private static final int MAX_BUNDLES = 4;

    @Override
    public Optional<PolicyServer> server(String name) {
        return servers.get(name);
    }

    @Override
    public List<Replica> readyReplicas(String server) {
        return servers.readyPods(server).stream()
                .map(pod -> new Replica(
                        Servers.ordinal(pod).orElseThrow(),
                        pod.getMetadata().getUid(),
                        Objects.requireNonNullElse(pod.getStatus().getPodIP(), "")))
                .toList();
    }

    @Override
    public Set<String> caBundles(String server) {
        var live = objects.webhooks().stream()
                .map(LiveWebhook::new)
                .filter(webhook -> webhook.policyServer().equals(server))
                .map(LiveWebhook::caBundle)
                .distinct()
                .limit(MAX_BUNDLES)
                .collect(Collectors.toSet());
        return live.isEmpty() ? caBundle.get().map(Set::of).orElse(Set.of()) : live;
    }

    @Override
    public Optional<String> token(String server) {
        return view.secrets()
                .get(namespace, PolicyServerNames.service(server))
                .flatMap(secret -> Optional.ofNullable(secret.getData()))
                .map(data -> data.get(Evidence.TOKEN_KEY))
                .filter(Objects::nonNull)
                .map(token -> new String(Base64.getDecoder().decode(token), StandardCharsets.UTF_8).strip());
    }

    @Override
    public String serviceName(String server) {
        return PolicyServerNames.service(server) + "." + namespace + ".svc";
    }
}
