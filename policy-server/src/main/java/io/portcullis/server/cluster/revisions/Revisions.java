package io.portcullis.server.cluster.revisions;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionNames;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The revisions of one PolicyServer, kept up to date by a watch. What we wrote ourselves is seen at once, though the watch
 * may take its time to tell. While the API server cannot be reached the last state stays. Thread-safe.
 */
public final class Revisions implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Revisions.class);

    private final String namespace;
    private final SharedIndexInformer<PolicyRevision> informer;
    /** Names of those that the loop has not been told of. */
    private final Set<String> changed = ConcurrentHashMap.newKeySet();

    private final Map<String, ObservedRevision> written = new ConcurrentHashMap<>();

    /** @param wake called after every change, from any thread */
    public Revisions(KubernetesClient client, String namespace, String policyServer, Runnable wake) {
        this.namespace = namespace;
        informer = client.resources(PolicyRevision.class)
                .inNamespace(namespace)
                .withLabel(RevisionNames.POLICY_SERVER, policyServer)
                .runnableInformer(0);
        informer.exceptionHandler((started, e) -> {
            log.atWarn()
                    .addKeyValue("error", e.getMessage())
                    .log(started ? "lost sight of revisions, serving on" : "cannot list revisions, trying again");
            return true;
        });
        informer.addEventHandler(new ResourceEventHandler<PolicyRevision>() {
            @Override
            public void onAdd(PolicyRevision added) {
                tell(added, wake);
            }

            @Override
            public void onUpdate(PolicyRevision before, PolicyRevision after) {
                tell(after, wake);
            }

            @Override
            public void onDelete(PolicyRevision gone, boolean missed) {
                written.remove(gone.getMetadata().getName());
                tell(gone, wake);
            }
        });
    }

    private void tell(PolicyRevision revision, Runnable wake) {
        changed.add(revision.getMetadata().getName());
        wake.run();
    }

    /** Goes on until it has a first list; then done. */
    public CompletionStage<Void> start() {
        return informer.start();
    }

    public boolean hasSynced() {
        return informer.hasSynced();
    }

    public int count() {
        return informer.getStore().list().size();
    }

    /** Everything, whether it has changed or not. */
    public List<ObservedRevision> all() {
        changed.clear();
        return informer.getStore().list().stream().map(this::newest).toList();
    }

    /** What has changed since this or everything was last asked for; empty: it is gone. */
    public Map<String, Optional<ObservedRevision>> changed() {
        var news = new HashMap<String, Optional<ObservedRevision>>();
        for (var name : Set.copyOf(changed)) {
            // Before it is read: what changes from now on is for the next time.
            changed.remove(name);
            var object = informer.getStore().getByKey(Cache.namespaceKeyFunc(namespace, name));
            news.put(name, Optional.ofNullable(object).map(this::newest));
        }
        return news;
    }

    private ObservedRevision newest(PolicyRevision watched) {
        var seen = new ObservedRevision(watched);
        written.computeIfPresent(seen.name(), (_, own) -> own.version() > seen.version() ? own : null);
        return newest(seen);
    }

    /** The same revision as we last saw or wrote it. */
    ObservedRevision newest(ObservedRevision seen) {
        var own = written.get(seen.name());
        return own != null && own.version() > seen.version() ? own : seen;
    }

    /** Takes notice of a revision as the API server answered it to one of our own writes or reads. */
    void remember(ObservedRevision revision) {
        written.merge(revision.name(), revision, (old, now) -> now.version() > old.version() ? now : old);
        changed.add(revision.name());
    }

    @Override
    public void close() {
        informer.stop();
    }
}
