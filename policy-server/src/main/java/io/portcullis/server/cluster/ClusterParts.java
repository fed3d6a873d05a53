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
 * The parts of a replica that must exist before the engine, because the engine reads compiled code from the shared cache.
 *
 * @param client the caller closes it
 */
public record ClusterParts(
        ClusterSettings settings,
        KubernetesClient client,
        ReplicaEvents events,
        RevisionModules modules,
        RevisionStatements statements) {

    /** Creates the parts. Opens no connection. */
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
