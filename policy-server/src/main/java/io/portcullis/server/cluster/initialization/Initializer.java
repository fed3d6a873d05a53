package io.portcullis.server.cluster.initialization;

import io.portcullis.api.condition.Reason;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.artifacts.ArtifactException;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.server.cluster.LoadMetrics;
import io.portcullis.server.cluster.LoadMetrics.Step;
import io.portcullis.server.cluster.modules.RevisionModules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.PolicyLoadSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Makes a revision loadable by every replica: resolves, pulls and verifies its modules, compiles them, has the policy check
 * its settings, and leaves everything signed in the cache. Thread-safe.
 */
public final class Initializer {

    private final RevisionModules modules;
    private final WasmPolicyLoader loader;
    private final LoadMetrics metrics;

    public Initializer(RevisionModules modules, WasmPolicyLoader loader, LoadMetrics metrics) {
        this.modules = modules;
        this.loader = loader;
        this.metrics = metrics;
    }

    private record Module(String url, String digest, byte[] wasm) {}

    /** @throws InterruptedException when the work was called off; never throws for what is wrong with the revision */
    InitializationOutcome initialize(ObservedRevision revision, PolicyLoadSpec loadSpec, EarlierModules earlier)
            throws InterruptedException {
        try {
            return switch (loadSpec) {
                case PolicyLoadSpec.Unusable(var reason, var problem) -> InitializationOutcome.failed(reason, problem);
                case PolicyLoadSpec.Usable usable -> initialize(revision, usable, earlier);
            };
        } catch (ArtifactException e) {
            refuseIfInterrupted();
            return InitializationOutcome.of(e);
        } catch (PolicyLoadException e) {
            refuseIfInterrupted();
            return InitializationOutcome.of(e);
        }
    }

    private static void refuseIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("called off");
        }
    }

    private InitializationOutcome initialize(
            ObservedRevision revision, PolicyLoadSpec.Usable loadSpec, EarlierModules earlier)
            throws InterruptedException {
        var fetched = new LinkedHashMap<String, Module>();
        for (var member : loadSpec.modules().entrySet()) {
            var url = member.getValue().module();
            if (!fetched.containsKey(url)) {
                fetched.put(url, fetch(revision, member.getKey(), url, earlier));
                refuseIfInterrupted();
            }
        }
        prepare(loadSpec, fetched);
        for (var module : fetched.values()) {
            var failure = modules.writeFailure(module.digest());
            if (failure.isPresent()) {
                return InitializationOutcome.failed(Reason.CACHE_WRITE_ERROR, failure.get());
            }
        }
        return new InitializationOutcome.Done(artifacts(loadSpec, fetched));
    }

    private Module fetch(ObservedRevision revision, String member, String url, EarlierModules earlier) {
        var pinned = revision.spec().pinnedArtifacts().stream()
                .filter(artifact -> artifact.module().equals(url)
                        && Objects.requireNonNullElse(artifact.member(), "").equals(member))
                .findFirst();
        if (pinned.isPresent()) {
            var digest = pinned.get().digest();
            return new Module(url, digest, metrics.time(Step.FETCH, () -> modules.pinned(url, digest)));
        }
        var digest = earlier.digest(url)
                .filter(known -> modules.isTrusted(url, known))
                .orElseGet(() -> metrics.time(Step.RESOLVE, () -> modules.resolve(url)));
        return new Module(url, digest, metrics.time(Step.FETCH, () -> modules.bytes(url, digest)));
    }

    private void prepare(PolicyLoadSpec.Usable loadSpec, Map<String, Module> fetched) {
        metrics.time(Step.PREPARE, () -> {
            loader.load(
                            loadSpec.policyId(),
                            loadSpec.entry(),
                            url -> Objects.requireNonNull(fetched.get(url), url).wasm())
                    .close();
            fetched.values().forEach(this::complete);
            return Optional.empty();
        });
    }

    /** A module that is already in use here was not compiled for this revision; the others need it from the cache all the same. */
    private void complete(Module module) {
        if (!modules.isCached(module.url(), module.digest(), loader.fingerprint(module.wasm()))) {
            loader.prepare(module.wasm());
        }
    }

    private static List<Artifact> artifacts(PolicyLoadSpec.Usable loadSpec, Map<String, Module> fetched) {
        var artifacts = new ArrayList<Artifact>();
        loadSpec.modules().forEach((member, definition) -> {
            var module = Objects.requireNonNull(fetched.get(definition.module()), member);
            artifacts.add(new Artifact(
                    member.isEmpty() ? null : member, module.url(), module.digest(), module.wasm().length));
        });
        return artifacts;
    }

    /**
     * Sees that the cache has a module of an initialised revision in both forms, verified, and makes anew what it lacks.
     *
     * @throws ArtifactException when it cannot be had; replicas that run are not hurt by that
     */
    void inspect(Artifact artifact) {
        loader.prepare(modules.bytes(artifact.module(), artifact.digest()));
    }
}
