package io.portcullis.server.cluster;

import io.fabric8.kubernetes.api.model.EventSource;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.process.kubernetes.EventWriter;
import io.portcullis.process.kubernetes.EventWriter.Repetition;
import io.portcullis.server.settings.ClusterSettings.Identity;
import java.time.Clock;

/** The Events that a replica writes about its PolicyServer. Thread-safe. */
public final class ReplicaEvents {

    private final KubernetesClient client;
    private final Identity identity;
    private final EventWriter events;

    ReplicaEvents(KubernetesClient client, Identity identity, Clock clock) {
        this.client = client;
        this.identity = identity;
        this.events = new EventWriter(
                client, new EventSource("policy-server", identity.podName()), Repetition.LIMITED, clock);
    }

    void leaderElected(long term) {
        events.write(this::server, false, "LeaderElected", identity.podName() + " leads in term " + term);
    }

    void cacheTampered(String file, String why) {
        events.write(this::server, true, "CacheTampered", "The cached file " + file + " was deleted: " + why);
    }

    private ObjectReference server() {
        var server = client.resources(PolicyServer.class)
                .withName(identity.policyServer())
                .get();
        return new ObjectReferenceBuilder()
                .withApiVersion(PolicyKind.GROUP + "/" + PolicyKind.VERSION)
                .withKind("PolicyServer")
                .withName(identity.policyServer())
                .withUid(server == null ? null : server.getMetadata().getUid())
                .build();
    }
}
