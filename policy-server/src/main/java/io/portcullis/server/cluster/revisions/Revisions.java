package io.portcullis.server.cluster.revisions;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.process.kubernetes.OwnWrites;
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
 * Watches the revisions of one PolicyServer. Our own writes are visible at once, even if the watch delivers them later.
 * While the API server is unreachable, the last observed state stays. Thread-safe.
 */
public final class Revisions implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Revisions.class);

    private final String namespace;
    private final SharedIndexInformer<PolicyRevision> informer;
    /** Names of revisions that changed since the loop last read them. */
    private final Set<String> changed = ConcurrentHashMap.newKeySet();

    private final OwnWrites written = new OwnWrites(System::nanoTime);

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
                    .log(
                            started
                                    ? "watch of revisions interrupted, continuing to serve"
                                    : "cannot list revisions, trying again");
            return true;
        });
        informer.addEventHandler(new ResourceEventHandler<PolicyRevision>() {
            @Override
            public void onAdd(PolicyRevision added) {
                markChanged(added, wake);
            }

            @Override
            public void onUpdate(PolicyRevision before, PolicyRevision after) {
                markChanged(after, wake);
            }

            @Override
            public void onDelete(PolicyRevision deleted, boolean finalStateUnknown) {
                written.watchedDeletion(deleted);
                markChanged(deleted, wake);
            }
        });
    }

    private void markChanged(PolicyRevision revision, Runnable wake) {
        changed.add(revision.getMetadata().getName());
        wake.run();
    }

    /** Starts the watch. The stage completes after the first list; until then the watch keeps trying. */
    public CompletionStage<Void> start() {
        return informer.start();
    }

    public boolean hasSynced() {
        return informer.hasSynced();
    }

    public int count() {
        return informer.getStore().list().size();
    }

    /** Returns all revisions, and clears the set of changes. */
    public List<ObservedRevision> all() {
        changed.clear();
        return informer.getStore().list().stream().map(this::newest).toList();
    }

    /**
     * Returns the revisions that changed since the last call of this method or {@link #all}. An empty value means deleted.
     */
    public Map<String, Optional<ObservedRevision>> changed() {
        var changes = new HashMap<String, Optional<ObservedRevision>>();
        for (var name : Set.copyOf(changed)) {
            // Clear the mark before reading: a later change must appear in the next call.
            changed.remove(name);
            var object = informer.getStore().getByKey(Cache.namespaceKeyFunc(namespace, name));
            changes.put(name, Optional.ofNullable(object).map(this::newest));
        }
        return changes;
    }

    private ObservedRevision newest(PolicyRevision object) {
        return new ObservedRevision(written.newest(PolicyRevision.class, object).orElse(object));
    }

    /** Returns the newer of the given revision and our own last write or read. */
    ObservedRevision newest(ObservedRevision observed) {
        return new ObservedRevision(written.newerThan(PolicyRevision.class, observed.object()));
    }

    /** Records a revision that the API server returned for one of our own writes or reads. */
    void observe(ObservedRevision revision) {
        written.stored(revision.object());
        changed.add(revision.name());
    }

    @Override
    public void close() {
        informer.stop();
    }
}
