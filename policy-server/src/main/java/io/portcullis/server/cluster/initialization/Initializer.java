package io.portcullis.server.cluster.initialization;

import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.group.GroupTargets;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.server.cluster.metrics.LoadMetrics;
import io.portcullis.server.cluster.metrics.LoadMetrics.Step;
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
 * Makes a revision loadable by every replica. It resolves, pulls, verifies and compiles the modules, validates the settings
 * with the policy, compares the members of a group, and stores everything signed in the cache. Thread-safe.
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

    /**
     * Initialises a revision. Returns a failure instead of throwing when the revision is faulty.
     *
     * @throws InterruptedException when the work was cancelled
     */
    InitializationOutcome initialize(ObservedRevision revision, PolicyLoadSpec loadSpec, EarlierModules earlier)
            throws InterruptedException {
        try {
            return switch (loadSpec) {
                case PolicyLoadSpec.Unusable(var reason, var problem) -> InitializationOutcome.failed(reason, problem);
                case PolicyLoadSpec.Usable usable -> initialize(revision, usable, earlier);
            };
        } catch (ArtifactException e) {
            throwIfInterrupted();
            return InitializationOutcome.of(e);
        } catch (PolicyLoadException e) {
            throwIfInterrupted();
            return InitializationOutcome.of(e);
        }
    }

    private static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("cancelled");
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
                throwIfInterrupted();
            }
        }
        prepare(revision, loadSpec, fetched);
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
                .filter(earlierDigest -> modules.isTrusted(url, earlierDigest))
                .orElseGet(() -> metrics.time(Step.RESOLVE, () -> modules.resolve(url)));
        return new Module(url, digest, metrics.time(Step.FETCH, () -> modules.bytes(url, digest)));
    }

    private void prepare(ObservedRevision revision, PolicyLoadSpec.Usable loadSpec, Map<String, Module> fetched) {
        metrics.time(Step.PREPARE, () -> {
            GroupTargets.loadChecked(
                            loader,
                            loadSpec.policyId(),
                            loadSpec.entry(),
                            rules(revision),
                            url -> Objects.requireNonNull(fetched.get(url), url).wasm())
                    .close();
            fetched.values().forEach(this::compileIfNotCached);
            return Optional.empty();
        });
    }

    /** Returns the rules of the policy, which decide what its webhook sends. The revision is usable, so it can be parsed. */
    private static Optional<List<PolicyMetadata.Rule>> rules(ObservedRevision revision) {
        var spec = revision.spec();
        return PolicyKind.parse(spec.objectReference().kind())
                .map(kind -> PolicySpec.read(kind, spec.policySpec()).match().rules().stream()
                        .map(rule -> new PolicyMetadata.Rule(
                                rule.getApiGroups(), rule.getApiVersions(), rule.getResources(), rule.getOperations()))
                        .toList());
    }

    /**
     * Compiles a module if the cache does not contain its compiled form. A load does not compile a module that this process
     * already uses, but the other replicas need the cached form.
     */
    private void compileIfNotCached(Module module) {
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
     * Checks that the cache contains a module of an initialised revision in both forms, verified, and restores a missing
     * form.
     *
     * @throws ArtifactException when the module is not available; running replicas are not affected
     */
    void inspect(Artifact artifact) {
        loader.prepare(modules.bytes(artifact.module(), artifact.digest()));
    }
}
