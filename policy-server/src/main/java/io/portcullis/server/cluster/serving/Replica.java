package io.portcullis.server.cluster.serving;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.lifecycle.Backoff;
import io.portcullis.server.cluster.Causes;
import io.portcullis.server.cluster.Loop;
import io.portcullis.server.cluster.revisions.Blueprint;
import io.portcullis.server.cluster.revisions.Blueprints;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.serving.RevisionLoader.Result;
import io.portcullis.server.cluster.serving.ServingPlan.Facts;
import io.portcullis.server.cluster.serving.ServingPlan.Held;
import io.portcullis.server.cluster.serving.ServingPlan.Mishap;
import io.portcullis.server.cluster.serving.ServingPlan.Speaker;
import io.portcullis.server.cluster.serving.ServingPlan.Standing;
import io.portcullis.server.evaluation.EvaluationEnvironment;
import io.portcullis.server.standalone.PolicyState;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
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
    private final ReplicaReports reports;
    private final ExecutorService workers;
    private final Loop loop;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Holdings holdings;

    private final Set<String> loading = new HashSet<>();
    private final Map<String, Mishap> mishaps = new HashMap<>();
    private volatile boolean booting = true;
    private volatile boolean complete;
    private volatile Optional<String> bootFailure = Optional.empty();
    private volatile List<PolicyState> states = List.of();
    private volatile Set<String> digestsInUse = Set.of();

    /** @param workers platform threads: loading a policy runs it */
    public Replica(
            int ordinal,
            String podUid,
            RevisionLoader loader,
            ReplicaReports reports,
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
        this.holdings = new Holdings(environment);
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
    public List<PolicyState> states() {
        return states;
    }

    public Set<String> digestsInUse() {
        return digestsInUse;
    }

    /** One look at everything. */
    public void look(List<ObservedRevision> revisions, Blueprints blueprints) {
        var wanted = wanted(revisions);
        forgetGone(revisions);
        // Those that webhooks refer to go first.
        var inOrder = new ArrayList<>(revisions);
        inOrder.sort(Comparator.comparing(ObservedRevision::isActive).reversed());
        inOrder.forEach(revision -> step(revision, wanted.contains(revision.name()), blueprints));
        holdings.publish(
                activeGenerations(revisions),
                EarlierNames.of(revisions.stream()
                        .filter(revision -> wanted.contains(revision.name()))
                        .map(ObservedRevision::spec)
                        .toList()));
        judge(revisions.stream()
                .filter(revision -> wanted.contains(revision.name()))
                .toList());
        states = ReplicaStates.of(
                revisions.stream()
                        .filter(revision -> wanted.contains(revision.name()))
                        .toList(),
                holdings,
                mishaps,
                clock.instant(),
                states);
        digestsInUse = holdings.all().stream()
                .flatMap(holding -> holding.digests().values().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Enabled ones; of two that claim one address, because a policy was made anew, the younger. */
    private static Set<String> wanted(List<ObservedRevision> revisions) {
        record Address(String id, long generation) {}
        var winners = new HashMap<Address, ObservedRevision>();
        revisions.stream()
                .filter(ObservedRevision::isEnabled)
                .forEach(revision -> winners.merge(
                        new Address(revision.policyId(), revision.generation()),
                        revision,
                        (left, right) -> left.isYoungerThan(right) ? left : right));
        return winners.values().stream().map(ObservedRevision::name).collect(Collectors.toSet());
    }

    private void forgetGone(List<ObservedRevision> revisions) {
        var names = revisions.stream().map(ObservedRevision::name).collect(Collectors.toSet());
        mishaps.keySet().retainAll(names);
        for (var held : holdings.revisions()) {
            if (!names.contains(held)) {
                unload(held);
            }
        }
    }

    private void step(ObservedRevision revision, boolean wanted, Blueprints blueprints) {
        var name = revision.name();
        var content = content(revision, blueprints);
        var facts = new Facts(
                revision.generation(),
                wanted,
                revision.isInitialized(),
                held(name, content),
                loading.contains(name),
                Optional.ofNullable(mishaps.get(name)),
                revision.ready(speaker.replica()),
                booting);
        var decision = ServingPlan.decide(facts, speaker, clock.instant());
        switch (decision.work()) {
            case NOTHING -> {}
            case UNLOAD -> unload(name);
            case LOAD -> load(revision, content, blueprints);
        }
        if (!wanted) {
            mishaps.remove(name);
        }
        reports.report(revision, decision.report());
    }

    private static Optional<Content> content(ObservedRevision revision, Blueprints blueprints) {
        return blueprints.of(revision) instanceof Blueprint.Usable(var id, var entry)
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

    private void load(ObservedRevision revision, Optional<Content> content, Blueprints blueprints) {
        if (content.isEmpty()) {
            var problem =
                    blueprints.of(revision) instanceof Blueprint.Unusable unusable ? unusable.problem() : "unusable";
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
                var result = attempt(content.get());
                loop.post(() -> settle(revision, content.get(), result));
            });
            loading.add(revision.name());
        } catch (OutOfMemoryError e) {
            // There is no room for one more thread.
            failed(revision, Reason.OUT_OF_MEMORY, Causes.tellable("not enough memory: " + e.getMessage()));
        }
    }

    private Result attempt(Content content) {
        try {
            return loader.load(content);
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
        switch (result) {
            case Result.Loaded(var policy, var digests) -> {
                var twin = holdings.like(content);
                if (twin.isPresent()) {
                    policy.close();
                }
                loaded(revision, content, twin.map(Holdings.Holding::policy).orElse(policy), digests);
            }
            case Result.Failed(var reason, var message) -> failed(revision, reason, message);
        }
    }

    private void loaded(
            ObservedRevision revision,
            Content content,
            io.portcullis.evaluator.Policy policy,
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
        var told = booting && revision.isActive() ? Reason.BOOTSTRAP_LOAD_ERROR : reason;
        var failures = Optional.ofNullable(mishaps.get(revision.name()))
                        .map(Mishap::failures)
                        .orElse(0)
                + 1;
        var pause = Backoff.next(told, failures, random).orElseThrow();
        mishaps.put(
                revision.name(),
                new Mishap(told, message, failures, clock.instant().plus(pause)));
        log.atError()
                .addKeyValue("policy_id", revision.policyId())
                .addKeyValue("generation", revision.generation())
                .addKeyValue("reason", told.wireName())
                .addKeyValue("error", message)
                .log("policy not loaded");
    }

    private static Map<String, Long> activeGenerations(List<ObservedRevision> revisions) {
        var active = new HashMap<String, Long>();
        revisions.stream()
                .filter(ObservedRevision::isActive)
                .forEach(revision -> active.merge(revision.policyId(), revision.generation(), Math::max));
        return active;
    }

    private void judge(List<ObservedRevision> wanted) {
        complete = ServingPlan.isComplete(wanted.stream().map(this::standing).toList(), booting);
        if (complete) {
            booting = false;
        }
        if (!booting) {
            return;
        }
        for (var revision : wanted) {
            var mishap = mishaps.get(revision.name());
            if (revision.isActive()
                    && mishap != null
                    && !loading.contains(revision.name())
                    && reports.isQuiet(revision.name())) {
                bootFailure = Optional.of("cannot load " + revision.policyId() + " generation " + revision.generation()
                        + ": " + mishap.message());
            }
        }
    }

    private Standing standing(ObservedRevision revision) {
        return new Standing(
                revision.isActive(),
                holdings.of(revision.name()).isPresent(),
                revision.ready(speaker.replica()).filter(Condition::isTrue).isPresent());
    }
}
