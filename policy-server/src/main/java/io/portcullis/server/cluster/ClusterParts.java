package io.portcullis.server.cluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.artifacts.PinnedModules;
import io.portcullis.artifacts.cache.SharedCache;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.tls.TlsFiles;
import io.portcullis.server.cluster.modules.CacheFiles;
import io.portcullis.server.cluster.modules.ModulePeers;
import io.portcullis.server.cluster.modules.RevisionModules;
import io.portcullis.server.cluster.peers.PeerCredentials;
import io.portcullis.server.cluster.peers.PeerModules;
import io.portcullis.server.cluster.peers.ReadyPeers;
import io.portcullis.server.cluster.revisions.RevisionStatements;
import io.portcullis.server.settings.ClusterSettings;
import io.portcullis.server.settings.ServerSettings;
import java.time.Clock;
import java.util.Optional;
import java.util.random.RandomGenerator;

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

    /**
     * Creates the parts. Opens no connection.
     *
     * @param tls the certificate that this replica serves with; without it, no other replica is asked for modules
     */
    public static ClusterParts of(
            ClusterSettings settings,
            Optional<TlsFiles> tls,
            ServerSettings.Sources sources,
            KubernetesClient client,
            PinnedModules source,
            Metrics metrics,
            Clock clock) {
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
        var modules = new RevisionModules(cache, source, peers(settings, tls, sources, client, metrics, clock));
        return new ClusterParts(settings, client, events, modules, statements);
    }

    private static ModulePeers peers(
            ClusterSettings settings,
            Optional<TlsFiles> tls,
            ServerSettings.Sources sources,
            KubernetesClient client,
            Metrics metrics,
            Clock clock) {
        if (tls.isEmpty() || settings.evidenceToken().isEmpty()) {
            return ModulePeers.NONE;
        }
        var identity = settings.identity();
        return new PeerModules(
                new ReadyPeers(client, identity, clock),
                new PeerCredentials(
                        tls.get(),
                        settings.cache().authorities(),
                        settings.evidenceToken().get()),
                PolicyServerNames.service(identity.policyServer()) + "." + identity.namespace() + ".svc",
                sources.downloadDirectory(),
                sources.limits().maxModuleBytes(),
                RandomGenerator.getDefault(),
                metrics);
    }
}
