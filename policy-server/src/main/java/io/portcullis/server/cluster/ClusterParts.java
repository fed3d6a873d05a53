package io.portcullis.server.cluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.artifacts.PinnedModules;
import io.portcullis.artifacts.cache.SharedCache;
import io.portcullis.server.cluster.modules.CacheFiles;
import io.portcullis.server.cluster.modules.RevisionModules;
import io.portcullis.server.cluster.revisions.RevisionStatements;
import io.portcullis.server.settings.ClusterSettings;
import java.time.Clock;

/**
 * What a replica needs before there is an engine, because the engine's compiled code comes from its cache.
 *
 * @param client not closed here
 */
public record ClusterParts(
        ClusterSettings settings,
        KubernetesClient client,
        ReplicaEvents events,
        RevisionModules modules,
        RevisionStatements statements) {

    /** Contacts nobody yet. */
    public static ClusterParts of(
            ClusterSettings settings, KubernetesClient client, PinnedModules source, Clock clock) {
        var events = new ReplicaEvents(client, settings.identity(), clock);
        var files = new CacheFiles(settings.cache(), settings.identity().policyServer());
        var root = settings.cache().directory().toAbsolutePath().normalize();
        var cache = new SharedCache(
                root,
                files::signer,
                files::trust,
                (file, why) -> events.cacheTampered(root.relativize(file).toString(), why),
                clock);
        var statements = new RevisionStatements(settings.identity().policyServer(), files::signer, files::trust, clock);
        return new ClusterParts(settings, client, events, new RevisionModules(cache, source), statements);
    }
}
