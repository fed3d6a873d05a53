package io.portcullis.server.cluster.serving;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.time.Pause;
import io.portcullis.core.lifecycle.RevisionBackoff;
import io.portcullis.server.cluster.loop.Loop;
import io.portcullis.server.cluster.revisions.ErrorTexts;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.PolicyLoadSpec;
import io.portcullis.server.cluster.revisions.PolicyLoadSpecs;
import io.portcullis.server.cluster.revisions.RevisionIndex;
import io.portcullis.server.cluster.revisions.RevisionIndex.Changes;
import io.portcullis.server.cluster.serving.RevisionLoader.Result;
import io.portcullis.server.cluster.serving.ServingPlan.Facts;
import io.portcullis.server.cluster.serving.ServingPlan.LoadFailure;
import io.portcullis.server.cluster.serving.ServingPlan.LoadState;
import io.portcullis.server.cluster.serving.ServingPlan.ReporterIdentity;
import io.portcullis.server.cluster.serving.ServingPlan.RevisionReadiness;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment;
import io.portcullis.server.source.PolicyLoadState;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the decisions of {@link ServingPlan}: loads, serves and unloads revisions, and reports on them. Confined to the
 * loop's thread, except for getters of volatile or concurrent fields.
 */
public final class Replica {

    private static final Logger log = LoggerFactory.getLogger(Replica.class);

    private final ReporterIdentity reporter;
    private final RevisionLoader loader;
    private final ReplicaReporter replicaReporter;
    private final ExecutorService workers;
    private final Loop loop;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final LoadedRevisions loadedRevisions;

    private final Set<String> loading = new HashSet<>();
    private final Map<String, LoadFailure> loadFailures = new HashMap<>();
    private volatile boolean booting = true;
    private volatile boolean complete;
    private volatile Optional<String> bootFailure = Optional.empty();
    private final Routes routes = new Routes();
    /** Policies that keep this replica from being ready. */
    private final Set<String> unreadyPolicies = new HashSet<>();
    /** Revisions whose local state changed. The watch reports changes in the cluster. */
    private final Set<String> dirty = new HashSet<>();

    private final Map<String, List<PolicyLoadState>> states = new ConcurrentSkipListMap<>();

    /** @param workers platform threads, because loading a policy runs its guest */
    public Replica(
            int ordinal,
            String podUid,
            RevisionLoader loader,
            ReplicaReporter replicaReporter,
            ExecutorService workers,
            Loop loop,
            EvaluationEnvironment environment,
            InstantSource clock,
            RandomGenerator random) {
        this.reporter = new ReporterIdentity(ordinal, podUid);
        this.loader = loader;
        this.replicaReporter = replicaReporter;
        this.workers = workers;
        this.loop = loop;
        this.clock = clock;
        this.random = random;
        this.loadedRevisions = new LoadedRevisions(environment);
    }

    /** Whether every revision that a webhook may call is loaded. */
    public boolean isComplete() {
        return complete;
    }

    /** Returns why the process must exit: a revision that a webhook calls could not be loaded at startup. */
    public Optional<String> bootFailure() {
        return bootFailure;
    }

    /** Returns the states of all wanted revisions, sorted by policy and generation. */
    public List<PolicyLoadState> states() {
        return states.values().stream().flatMap(List::stream).toList();
    }

    /** Returns the digests of all loaded modules. Call on the loop's thread. */
    public Set<String> digestsInUse() {
        return loadedRevisions.all().stream()
                .flatMap(loaded -> loaded.digests().values().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Reconciles the policies that changed. Publishes the routing table before reporting Ready. */
    public void reconcile(RevisionIndex index, Changes changes, PolicyLoadSpecs loadSpecs) {
        changes.deleted().forEach(this::drop);
        var policies = due(index, changes);
        var candidates = policies.stream()
                .flatMap(policyId -> candidates(index.of(policyId), loadSpecs))
                // Load the revisions that webhooks call first.
                .sorted(Comparator.comparing((Candidate each) -> each.revision().isActive())
                        .reversed())
                .toList();
        candidates.forEach(each -> work(each, loadSpecs));
        var wanted = candidates.stream()
                .filter(Candidate::isWanted)
                .map(Candidate::revision)
                .collect(Collectors.groupingBy(ObservedRevision::policyId));
        policies.forEach(policyId -> routes.update(policyId, wanted.getOrDefault(policyId, List.of())));
        loadedRevisions.publish(routes.takeChanged(), routes.active(), routes.earlierNames());
        candidates.forEach(each -> replicaReporter.report(each.revision(), ServingPlan.report(facts(each), reporter)));
        policies.forEach(policyId -> updateReadiness(policyId, wanted.getOrDefault(policyId, List.of())));
        complete = unreadyPolicies.isEmpty();
        if (complete && booting) {
            booting = false;
            // The reports depend on this flag.
            index.all().forEach(revision -> dirty.add(revision.name()));
            loop.wake();
        }
    }

    private Set<String> due(RevisionIndex index, Changes changes) {
        dirty.addAll(loadFailures.keySet());
        dirty.addAll(replicaReporter.takeDirty());
        var due = index.due(changes, dirty, this::drop);
        dirty.clear();
        return due;
    }

    private void drop(String revision) {
        loadFailures.remove(revision);
        replicaReporter.drop(revision);
        if (loadedRevisions.of(revision).isPresent()) {
            unload(revision);
        }
    }

    private static Stream<Candidate> candidates(List<ObservedRevision> ofOnePolicy, PolicyLoadSpecs loadSpecs) {
        var wanted = wanted(ofOnePolicy);
        return ofOnePolicy.stream()
                .map(revision ->
                        new Candidate(revision, wanted.contains(revision.name()), resolved(revision, loadSpecs)));
    }

    /**
     * Returns the enabled revisions whose signatures are accepted. If two revisions have the same generation, because the
     * policy was deleted and created again, only the younger one is wanted.
     */
    private static Set<String> wanted(List<ObservedRevision> ofOnePolicy) {
        return ofOnePolicy.stream()
                .filter(revision -> revision.isEnabled() && !revision.isRefused())
                .collect(Collectors.toMap(
                        ObservedRevision::generation,
                        revision -> revision,
                        (left, right) -> left.isYoungerThan(right) ? left : right))
                .values()
                .stream()
                .map(ObservedRevision::name)
                .collect(Collectors.toSet());
    }

    private record Candidate(ObservedRevision revision, boolean isWanted, Optional<ResolvedLoadSpec> loadSpec) {}

    private void work(Candidate candidate, PolicyLoadSpecs loadSpecs) {
        var name = candidate.revision().name();
        switch (ServingPlan.work(facts(candidate), clock.instant())) {
            case NOTHING -> {}
            case UNLOAD -> unload(name);
            case LOAD -> load(candidate.revision(), candidate.loadSpec(), loadSpecs);
        }
        if (!candidate.isWanted()) {
            loadFailures.remove(name);
        }
    }

    private Facts facts(Candidate candidate) {
        var revision = candidate.revision();
        var name = revision.name();
        return new Facts(
                revision.generation(),
                candidate.isWanted(),
                revision.isInitialized(),
                loadState(name, candidate.loadSpec()),
                loading.contains(name),
                Optional.ofNullable(loadFailures.get(name)),
                revision.ready(reporter.replica()),
                booting);
    }

    private static Optional<ResolvedLoadSpec> resolved(ObservedRevision revision, PolicyLoadSpecs loadSpecs) {
        return loadSpecs.of(revision) instanceof PolicyLoadSpec.Usable policy
                ? Optional.of(new ResolvedLoadSpec(policy, revision.digests()))
                : Optional.empty();
    }

    /** A loaded revision counts as current when its object has become unusable since: the replica keeps serving it. */
    private LoadState loadState(String name, Optional<ResolvedLoadSpec> loadSpec) {
        var loadedRevision = loadedRevisions.of(name);
        if (loadedRevision.isEmpty()) {
            return LoadState.NOT_LOADED;
        }
        return loadSpec.isEmpty()
                        || loadSpec.get().digests().isEmpty()
                        || loadSpec.get().equals(loadedRevision.get().loadSpec())
                ? LoadState.CURRENT
                : LoadState.OUTDATED;
    }

    private void unload(String name) {
        loadedRevisions.remove(name);
        loadFailures.remove(name);
        log.atInfo().addKeyValue("revision", name).log("revision unloaded");
    }

    private void load(ObservedRevision revision, Optional<ResolvedLoadSpec> loadSpec, PolicyLoadSpecs loadSpecs) {
        if (loadSpec.isEmpty()) {
            var problem = loadSpecs.of(revision) instanceof PolicyLoadSpec.Unusable unusable
                    ? unusable.problem()
                    : "unusable";
            failed(revision, Reason.LOAD_ERROR, problem);
            return;
        }
        var equalRevision = loadedRevisions.findEqual(loadSpec.get());
        if (equalRevision.isPresent()) {
            loaded(
                    revision,
                    loadSpec.get(),
                    equalRevision.get().policy(),
                    equalRevision.get().digests());
            return;
        }
        try {
            workers.execute(() -> {
                var result = attempt(revision, loadSpec.get());
                loop.post(() -> finishLoad(revision, loadSpec.get(), result));
            });
            loading.add(revision.name());
        } catch (OutOfMemoryError e) {
            // The process cannot start another thread.
            failed(revision, Reason.OUT_OF_MEMORY, ErrorTexts.sanitize("not enough memory: " + e.getMessage()));
        }
    }

    private Result attempt(ObservedRevision revision, ResolvedLoadSpec loadSpec) {
        try {
            return loader.load(revision, loadSpec);
        } catch (Error e) {
            loop.post(() -> {
                throw e;
            });
            return new Result.Failed(Reason.LOAD_ERROR, ErrorTexts.sanitize(e.toString()));
        }
    }

    /** Records the result of a load. If the revision is no longer wanted, the next pass unloads it. */
    private void finishLoad(ObservedRevision revision, ResolvedLoadSpec loadSpec, Result result) {
        loading.remove(revision.name());
        dirty.add(revision.name());
        switch (result) {
            case Result.Loaded(var policy, var digests) -> {
                var equalRevision = loadedRevisions.findEqual(loadSpec);
                if (equalRevision.isPresent()) {
                    policy.close();
                }
                loaded(
                        revision,
                        loadSpec,
                        equalRevision
                                .map(LoadedRevisions.LoadedRevision::policy)
                                .orElse(policy),
                        digests);
            }
            case Result.Failed(var reason, var message) -> failed(revision, reason, message);
        }
    }

    private void loaded(
            ObservedRevision revision,
            ResolvedLoadSpec loadSpec,
            io.portcullis.evaluator.LoadedPolicy policy,
            Map<String, String> digests) {
        loadedRevisions.put(revision, loadSpec, policy, digests);
        loadFailures.remove(revision.name());
        log.atInfo()
                .addKeyValue("policy_id", revision.policyId())
                .addKeyValue("generation", revision.generation())
                .addKeyValue("digests", digests.values())
                .log("policy loaded");
    }

    private void failed(ObservedRevision revision, Reason reason, String message) {
        var isFatal = booting && revision.isActive() && reason != Reason.PREPARATION_FAILED;
        var reportedReason = isFatal ? Reason.BOOTSTRAP_LOAD_ERROR : reason;
        var failures = Optional.ofNullable(loadFailures.get(revision.name()))
                        .map(LoadFailure::failures)
                        .orElse(0)
                + 1;
        var pause = RevisionBackoff.next(reportedReason, failures, random).orElseThrow();
        loadFailures.put(
                revision.name(), new LoadFailure(reportedReason, message, failures, Pause.of(clock.instant(), pause)));
        log.atError()
                .addKeyValue("policy_id", revision.policyId())
                .addKeyValue("generation", revision.generation())
                .addKeyValue("reason", reportedReason.wireName())
                .addKeyValue("error", message)
                .log("policy not loaded");
    }

    private void updateReadiness(String policyId, List<ObservedRevision> wanted) {
        if (ServingPlan.isComplete(wanted.stream().map(this::readiness).toList(), booting)) {
            unreadyPolicies.remove(policyId);
        } else {
            unreadyPolicies.add(policyId);
        }
        var previousStates = states.getOrDefault(policyId, List.of());
        var currentStates = ReplicaStates.of(wanted, loadedRevisions, loadFailures, clock.instant(), previousStates);
        if (currentStates.isEmpty()) {
            states.remove(policyId);
        } else {
            states.put(policyId, currentStates);
        }
        if (booting) {
            wanted.forEach(revision -> fatalFailure(revision).ifPresent(cause -> bootFailure = Optional.of(cause)));
        }
    }

    /**
     * Returns why the process must exit: a webhook calls this revision, its load failed, and the report of the failure is
     * stored.
     */
    private Optional<String> fatalFailure(ObservedRevision revision) {
        var name = revision.name();
        return Optional.ofNullable(loadFailures.get(name))
                .filter(loadFailure -> !loadFailure.isCausedByModule())
                .filter(_ -> revision.isActive() && !loading.contains(name) && replicaReporter.isStored(name))
                .map(loadFailure -> "cannot load " + revision.policyId() + " generation " + revision.generation() + ": "
                        + loadFailure.message());
    }

    private RevisionReadiness readiness(ObservedRevision revision) {
        return new RevisionReadiness(
                        revision.isActive(),
                        loadedRevisions.of(revision.name()).isPresent(),
                        revision.ready(reporter.replica())
                                .filter(Condition::isTrue)
                                .isPresent())
                .excludedIfUnpreparable(Optional.ofNullable(loadFailures.get(revision.name()))
                        .filter(LoadFailure::isCausedByModule)
                        .isPresent());
    }
}
