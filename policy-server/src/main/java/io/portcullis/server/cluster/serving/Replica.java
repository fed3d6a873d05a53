package io.portcullis.server.cluster.serving;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.lifecycle.Pause;
import io.portcullis.api.lifecycle.RevisionBackoff;
import io.portcullis.server.cluster.Causes;
import io.portcullis.server.cluster.Loop;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.PolicyLoadSpec;
import io.portcullis.server.cluster.revisions.PolicyLoadSpecs;
import io.portcullis.server.cluster.revisions.RevisionIndex;
import io.portcullis.server.cluster.revisions.RevisionIndex.Changes;
import io.portcullis.server.cluster.serving.RevisionLoader.Result;
import io.portcullis.server.cluster.serving.ServingPlan.Facts;
import io.portcullis.server.cluster.serving.ServingPlan.Held;
import io.portcullis.server.cluster.serving.ServingPlan.Mishap;
import io.portcullis.server.cluster.serving.ServingPlan.Speaker;
import io.portcullis.server.cluster.serving.ServingPlan.Standing;
import io.portcullis.server.evaluation.EvaluationEnvironment;
import io.portcullis.server.standalone.StandalonePolicyState;
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
 * Carries out what {@link ServingPlan} decides: loads, serves, unloads, reports. Used by the loop's thread alone; what it
 * tells others it tells through volatile fields.
 */
public final class Replica {

    private static final Logger log = LoggerFactory.getLogger(Replica.class);

    private final Speaker speaker;
    private final RevisionLoader loader;
    private final ReplicaReporter reports;
    private final ExecutorService workers;
    private final Loop loop;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final LoadedRevisions holdings;

    private final Set<String> loading = new HashSet<>();
    private final Map<String, Mishap> mishaps = new HashMap<>();
    private volatile boolean booting = true;
    private volatile boolean complete;
    private volatile Optional<String> bootFailure = Optional.empty();
    private final Routes routes = new Routes();
    /** Policies without which, as far as webhooks go, requests must not come. */
    private final Set<String> lacking = new HashSet<>();
    /** Revisions of which something changed here, not in the cluster. */
    private final Set<String> stirred = new HashSet<>();

    private final Map<String, List<StandalonePolicyState>> states = new ConcurrentSkipListMap<>();

    /** @param workers platform threads: loading a policy runs it */
    public Replica(
            int ordinal,
            String podUid,
            RevisionLoader loader,
            ReplicaReporter reports,
            ExecutorService workers,
            Loop loop,
            EvaluationEnvironment environment,
            InstantSource clock,
            RandomGenerator random) {
        this.speaker = new Speaker(ordinal, podUid);
        this.loader = loader;
        this.reports = reports;
        this.workers = workers;
        this.loop = loop;
        this.clock = clock;
        this.random = random;
        this.holdings = new LoadedRevisions(environment);
    }

    /** Whether every revision that a webhook may refer to is loaded. */
    public boolean isComplete() {
        return complete;
    }

    /** Why this replica must not go on: a revision that webhooks refer to could not be loaded when it started. */
    public Optional<String> bootFailure() {
        return bootFailure;
    }

    /** All revisions that are wanted, by policy and generation. */
    public List<StandalonePolicyState> states() {
        return states.values().stream().flatMap(List::stream).toList();
    }

    /** For the loop's thread. */
    public Set<String> digestsInUse() {
        return holdings.all().stream()
                .flatMap(holding -> holding.digests().values().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** One look at all of which something changed. What is said is said of what requests find, so that they find it comes first. */
    public void look(RevisionIndex catalogue, Changes changes, PolicyLoadSpecs blueprints) {
        changes.gone().forEach(this::forget);
        var policies = due(catalogue, changes);
        var cases = policies.stream()
                .flatMap(policyId -> cases(catalogue.of(policyId), blueprints))
                // Those that webhooks refer to go first.
                .sorted(Comparator.comparing((Case each) -> each.revision().isActive())
                        .reversed())
                .toList();
        cases.forEach(each -> work(each, blueprints));
        var wanted = cases.stream()
                .filter(Case::isWanted)
                .map(Case::revision)
                .collect(Collectors.groupingBy(ObservedRevision::policyId));
        policies.forEach(policyId -> routes.of(policyId, wanted.getOrDefault(policyId, List.of())));
        holdings.publish(routes.takeChanged(), routes.active(), routes.earlierNames());
        cases.forEach(each -> reports.report(each.revision(), ServingPlan.report(facts(each), speaker)));
        policies.forEach(policyId -> judge(policyId, wanted.getOrDefault(policyId, List.of())));
        complete = lacking.isEmpty();
        if (complete && booting) {
            booting = false;
            // What is to be said depends on it.
            catalogue.all().forEach(revision -> stirred.add(revision.name()));
            loop.wake();
        }
    }

    private Set<String> due(RevisionIndex catalogue, Changes changes) {
        stirred.addAll(mishaps.keySet());
        stirred.addAll(reports.takeUnsettled());
        var due = catalogue.due(changes, stirred, this::forget);
        stirred.clear();
        return due;
    }

    private void forget(String revision) {
        mishaps.remove(revision);
        reports.forget(revision);
        if (holdings.of(revision).isPresent()) {
            unload(revision);
        }
    }

    private static Stream<Case> cases(List<ObservedRevision> ofOnePolicy, PolicyLoadSpecs blueprints) {
        var wanted = wanted(ofOnePolicy);
        return ofOnePolicy.stream()
                .map(revision -> new Case(revision, wanted.contains(revision.name()), content(revision, blueprints)));
    }

    /** Enabled ones whose signatures are accepted; of two of one generation, because a policy was made anew, the younger. */
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

    private record Case(ObservedRevision revision, boolean isWanted, Optional<Content> content) {}

    private void work(Case one, PolicyLoadSpecs blueprints) {
        var name = one.revision().name();
        switch (ServingPlan.work(facts(one), clock.instant())) {
            case NOTHING -> {}
            case UNLOAD -> unload(name);
            case LOAD -> load(one.revision(), one.content(), blueprints);
        }
        if (!one.isWanted()) {
            mishaps.remove(name);
        }
    }

    private Facts facts(Case one) {
        var revision = one.revision();
        var name = revision.name();
        return new Facts(
                revision.generation(),
                one.isWanted(),
                revision.isInitialized(),
                held(name, one.content()),
                loading.contains(name),
                Optional.ofNullable(mishaps.get(name)),
                revision.ready(speaker.replica()),
                booting);
    }

    private static Optional<Content> content(ObservedRevision revision, PolicyLoadSpecs blueprints) {
        return blueprints.of(revision) instanceof PolicyLoadSpec.Usable(var id, var entry)
                ? Optional.of(new Content(id, entry, revision.digests()))
                : Optional.empty();
    }

    /** What was loaded before somebody broke the revision goes on. */
    private Held held(String name, Optional<Content> content) {
        var holding = holdings.of(name);
        if (holding.isEmpty()) {
            return Held.NOTHING;
        }
        return content.isEmpty()
                        || content.get().digests().isEmpty()
                        || content.get().equals(holding.get().content())
                ? Held.EXACTLY
                : Held.OUTDATED;
    }

    private void unload(String name) {
        holdings.remove(name);
        mishaps.remove(name);
        log.atInfo().addKeyValue("revision", name).log("revision unloaded");
    }

    private void load(ObservedRevision revision, Optional<Content> content, PolicyLoadSpecs blueprints) {
        if (content.isEmpty()) {
            var problem = blueprints.of(revision) instanceof PolicyLoadSpec.Unusable unusable
                    ? unusable.problem()
                    : "unusable";
            failed(revision, Reason.LOAD_ERROR, problem);
            return;
        }
        var twin = holdings.like(content.get());
        if (twin.isPresent()) {
            loaded(revision, content.get(), twin.get().policy(), twin.get().digests());
            return;
        }
        try {
            workers.execute(() -> {
                var result = attempt(revision, content.get());
                loop.post(() -> settle(revision, content.get(), result));
            });
            loading.add(revision.name());
        } catch (OutOfMemoryError e) {
            // There is no room for one more thread.
            failed(revision, Reason.OUT_OF_MEMORY, Causes.tellable("not enough memory: " + e.getMessage()));
        }
    }

    private Result attempt(ObservedRevision revision, Content content) {
        try {
            return loader.load(revision, content);
        } catch (Error e) {
            loop.post(() -> {
                throw e;
            });
            return new Result.Failed(Reason.LOAD_ERROR, Causes.tellable(e.toString()));
        }
    }

    /** If it is no longer wanted the next look unloads it. */
    private void settle(ObservedRevision revision, Content content, Result result) {
        loading.remove(revision.name());
        stirred.add(revision.name());
        switch (result) {
            case Result.Loaded(var policy, var digests) -> {
                var twin = holdings.like(content);
                if (twin.isPresent()) {
                    policy.close();
                }
                loaded(
                        revision,
                        content,
                        twin.map(LoadedRevisions.Holding::policy).orElse(policy),
                        digests);
            }
            case Result.Failed(var reason, var message) -> failed(revision, reason, message);
        }
    }

    private void loaded(
            ObservedRevision revision,
            Content content,
            io.portcullis.evaluator.LoadedPolicy policy,
            Map<String, String> digests) {
        holdings.put(revision, content, policy, digests);
        mishaps.remove(revision.name());
        log.atInfo()
                .addKeyValue("policy_id", revision.policyId())
                .addKeyValue("generation", revision.generation())
                .addKeyValue("digests", digests.values())
                .log("policy loaded");
    }

    private void failed(ObservedRevision revision, Reason reason, String message) {
        var isFatal = booting && revision.isActive() && reason != Reason.PREPARATION_FAILED;
        var told = isFatal ? Reason.BOOTSTRAP_LOAD_ERROR : reason;
        var failures = Optional.ofNullable(mishaps.get(revision.name()))
                        .map(Mishap::failures)
                        .orElse(0)
                + 1;
        var pause = RevisionBackoff.next(told, failures, random).orElseThrow();
        mishaps.put(revision.name(), new Mishap(told, message, failures, Pause.of(clock.instant(), pause)));
        log.atError()
                .addKeyValue("policy_id", revision.policyId())
                .addKeyValue("generation", revision.generation())
                .addKeyValue("reason", told.wireName())
                .addKeyValue("error", message)
                .log("policy not loaded");
    }

    private void judge(String policyId, List<ObservedRevision> wanted) {
        if (ServingPlan.isComplete(wanted.stream().map(this::standing).toList(), booting)) {
            lacking.remove(policyId);
        } else {
            lacking.add(policyId);
        }
        var known = states.getOrDefault(policyId, List.of());
        var now = ReplicaStates.of(wanted, holdings, mishaps, clock.instant(), known);
        if (now.isEmpty()) {
            states.remove(policyId);
        } else {
            states.put(policyId, now);
        }
        if (booting) {
            wanted.forEach(revision -> fatal(revision).ifPresent(why -> bootFailure = Optional.of(why)));
        }
    }

    /** Why we must not go on: a webhook refers to it, it could not be loaded, and that has been said. */
    private Optional<String> fatal(ObservedRevision revision) {
        var name = revision.name();
        return Optional.ofNullable(mishaps.get(name))
                .filter(mishap -> !mishap.isModulesFault())
                .filter(_ -> revision.isActive() && !loading.contains(name) && reports.isQuiet(name))
                .map(mishap -> "cannot load " + revision.policyId() + " generation " + revision.generation() + ": "
                        + mishap.message());
    }

    private Standing standing(ObservedRevision revision) {
        return new Standing(
                        revision.isActive(),
                        holdings.of(revision.name()).isPresent(),
                        revision.ready(speaker.replica())
                                .filter(Condition::isTrue)
                                .isPresent())
                .orUnpreparable(Optional.ofNullable(mishaps.get(revision.name()))
                        .filter(Mishap::isModulesFault)
                        .isPresent());
    }
}
