package io.portcullis.server.cluster.initialization;

import io.portcullis.api.condition.Reason;
import io.portcullis.api.lifecycle.Pause;
import io.portcullis.api.lifecycle.RevisionBackoff;
import io.portcullis.api.tenancy.PolicyUse.NamespaceUse;
import io.portcullis.process.leadership.Tenure;
import io.portcullis.server.cluster.Loop;
import io.portcullis.server.cluster.initialization.InitializationPlan.Attempt;
import io.portcullis.server.cluster.initialization.InitializationPlan.Facts;
import io.portcullis.server.cluster.initialization.SignatureCheck.Verdict;
import io.portcullis.server.cluster.modules.SignedModules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.PolicyLoadSpec;
import io.portcullis.server.cluster.revisions.PolicyLoadSpecs;
import io.portcullis.server.cluster.revisions.RevisionIndex;
import io.portcullis.server.cluster.revisions.RevisionIndex.Changes;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what {@link InitializationPlan} decides, while this replica leads. Everything it remembers is of one term:
 * a new leader begins anew, from what is stored. Used by the loop's thread alone.
 */
public final class LeaderWork {

    private static final Logger log = LoggerFactory.getLogger(LeaderWork.class);
    /** New settings for a module that is there take less. */
    private static final Duration SOON = Duration.ofMillis(300);

    private final Tenure tenure;
    private final TenancyCheck tenancy;
    private final Initializer initializer;
    private final SignedModules vouched;
    private final SignatureCheck signatures;
    private final LeaderReports reports;
    private final ExecutorService workers;
    private final Loop loop;
    private final InstantSource clock;
    private final RandomGenerator random;

    private OptionalLong term = OptionalLong.empty();
    private final Map<String, Task> running = new HashMap<>();
    private final Map<String, Attempt> attempts = new HashMap<>();
    private final Set<String> inspected = new HashSet<>();
    /** Revisions of which something changed here, not in the cluster. */
    private final Set<String> stirred = new HashSet<>();
    /** Of workers too: many revisions share a module. */
    private final Set<String> inspectedDigests = ConcurrentHashMap.newKeySet();

    /** @param workers platform threads; each may wait for a registry or run a guest */
    public LeaderWork(
            Tenure tenure,
            TenancyCheck tenancy,
            Initializer initializer,
            SignedModules vouched,
            SignatureCheck signatures,
            LeaderReports reports,
            ExecutorService workers,
            Loop loop,
            InstantSource clock,
            RandomGenerator random) {
        this.tenure = tenure;
        this.tenancy = tenancy;
        this.initializer = initializer;
        this.vouched = vouched;
        this.signatures = signatures;
        this.reports = reports;
        this.workers = workers;
        this.loop = loop;
        this.clock = clock;
        this.random = random;
    }

    /** One look at all of which something changed. */
    public void look(RevisionIndex catalogue, Changes changes, PolicyLoadSpecs loadSpecs) {
        changes.policies()
                .forEach(policyId -> catalogue.of(policyId).forEach(revision -> tenure.sawTerm(revision.term())));
        changes.gone().forEach(this::forget);
        var now = tenure.term();
        var isNew = !now.equals(term);
        if (isNew) {
            running.values().forEach(task -> task.cancel(true));
            running.clear();
            attempts.clear();
            inspected.clear();
            inspectedDigests.clear();
            signatures.forget();
            term = now;
        }
        if (now.isEmpty()) {
            stirred.clear();
            return;
        }
        for (var policyId : isNew ? catalogue.policies() : due(catalogue, changes)) {
            var ofOnePolicy = catalogue.of(policyId);
            ofOnePolicy.forEach(revision -> step(revision, catalogue, loadSpecs, now.getAsLong()));
        }
    }

    private Set<String> due(RevisionIndex catalogue, Changes changes) {
        stirred.addAll(attempts.keySet());
        var due = catalogue.due(changes, stirred, this::forget);
        stirred.clear();
        return due;
    }

    /** Makes every failed revision due that is tried again at all. For the loop's thread. */
    public void retryNow() {
        attempts.replaceAll((_, attempt) ->
                new Attempt(attempt.failures(), attempt.pause().map(_ -> Pause.of(clock.instant(), Duration.ZERO))));
    }

    private void forget(String revision) {
        Optional.ofNullable(running.remove(revision)).ifPresent(task -> task.cancel(true));
        attempts.remove(revision);
        inspected.remove(revision);
    }

    private void step(ObservedRevision revision, RevisionIndex catalogue, PolicyLoadSpecs loadSpecs, long now) {
        var name = revision.name();
        var facts = new Facts(
                revision.isEnabled(),
                revision.scheduled(),
                revision.initialized(),
                running.containsKey(name),
                Optional.ofNullable(attempts.get(name)),
                inspected.contains(name) && vouched.statements().isCurrent(revision));
        switch (InitializationPlan.decide(facts, clock.instant())) {
            case NOTHING -> {}
            case ABANDON -> {
                log.atInfo().addKeyValue("revision", name).log("initialisation abandoned");
                Optional.ofNullable(running.remove(name)).ifPresent(task -> task.cancel(true));
                attempts.remove(name);
            }
            case SCHEDULE -> begin(revision, now, () -> reports.schedule(revision, now));
            case INITIALIZE -> {
                var loadSpec = loadSpecs.of(revision);
                var earlier = EarlierModules.of(revision, catalogue.of(revision.policyId()));
                var before = TenancyCheck.before(revision, catalogue.all(), loadSpecs);
                begin(revision, now, () -> initialize(revision, loadSpec, earlier, before, now));
            }
            case INSPECT -> begin(revision, now, () -> inspect(revision, now));
        }
    }

    @FunctionalInterface
    private interface Work {
        void run() throws InterruptedException;
    }

    /** Is under way until it has ended, however it ends; by then another may be under way for the same revision. */
    private final class Task extends FutureTask<Void> {

        private final String revision;

        Task(String revision, Runnable work) {
            super(work, null);
            this.revision = revision;
        }

        @Override
        protected void done() {
            loop.post(() -> {
                running.remove(revision, this);
                stirred.add(revision);
            });
        }
    }

    private void begin(ObservedRevision revision, long now, Work work) {
        var task = new Task(revision.name(), () -> attempt(revision.name(), now, work));
        workers.execute(task);
        running.put(revision.name(), task);
    }

    private void attempt(String name, long now, Work work) {
        try {
            work.run();
        } catch (InterruptedException e) {
            log.atDebug().addKeyValue("revision", name).log("called off");
        } catch (RuntimeException e) {
            log.atWarn()
                    .addKeyValue("revision", name)
                    .addKeyValue("error", e.toString())
                    .setCause(log.isDebugEnabled() ? e : null)
                    .log("leader's work failed, trying again");
            finish(now, () -> failed(name, Reason.INTERNAL_ERROR));
        } catch (Error e) {
            finish(now, () -> failed(name, Reason.INTERNAL_ERROR));
            loop.post(() -> {
                throw e;
            });
        }
    }

    /** What belongs to an earlier term is forgotten already. */
    private void finish(long of, Runnable change) {
        loop.post(() -> {
            if (term.isPresent() && term.getAsLong() == of) {
                change.run();
            }
        });
    }

    private void failed(String name, Reason reason) {
        var failures =
                Optional.ofNullable(attempts.get(name)).map(Attempt::failures).orElse(0) + 1;
        var pause = RevisionBackoff.next(reason, failures, random);
        attempts.put(name, new Attempt(failures, pause.map(length -> Pause.of(clock.instant(), length))));
    }

    private void initialize(
            ObservedRevision revision, PolicyLoadSpec loadSpec, EarlierModules earlier, NamespaceUse before, long now)
            throws InterruptedException {
        var outcome = sayingSoIfItTakesLong(revision, now, () -> outcome(revision, loadSpec, earlier, before));
        reports.conclude(revision, outcome, now);
        var name = revision.name();
        switch (outcome) {
            case InitializationOutcome.Done _ -> {
                log.atInfo().addKeyValue("revision", name).log("revision initialised");
                finish(now, () -> {
                    attempts.remove(name);
                    // The inspection verifies pinned modules; initialising them did not.
                    if (revision.spec().pinnedArtifacts().isEmpty()) {
                        inspected.add(name);
                    }
                });
            }
            case InitializationOutcome.Failed(var reason, var message) -> {
                log.atError()
                        .addKeyValue("revision", name)
                        .addKeyValue("reason", reason.wireName())
                        .addKeyValue("error", message)
                        .log("revision not initialised");
                finish(now, () -> failed(name, reason));
            }
        }
    }

    /** Also of what nobody expected: a policy that stays pending must say why. */
    private InitializationOutcome outcome(
            ObservedRevision revision, PolicyLoadSpec loadSpec, EarlierModules earlier, NamespaceUse before)
            throws InterruptedException {
        try {
            var refused = loadSpec instanceof PolicyLoadSpec.Usable usable
                    ? tenancy.failure(revision, usable, before)
                    : Optional.<InitializationOutcome.Failed>empty();
            return refused.isPresent() ? refused.get() : initializer.initialize(revision, loadSpec, earlier);
        } catch (RuntimeException | Error e) {
            if (Thread.interrupted()) {
                throw new InterruptedException("called off");
            }
            loop.post(() -> {
                throw e;
            });
            return InitializationOutcome.failed(Reason.INTERNAL_ERROR, "The policy server failed unexpectedly: " + e);
        }
    }

    @FunctionalInterface
    private interface Initialization {
        InitializationOutcome run() throws InterruptedException;
    }

    /** That it is scheduled is said with the outcome, or earlier if somebody might wonder. */
    private InitializationOutcome sayingSoIfItTakesLong(ObservedRevision revision, long now, Initialization work)
            throws InterruptedException {
        var ended = new CountDownLatch(1);
        var saying = Thread.ofVirtual().name("schedule-" + revision.name()).start(() -> {
            try {
                if (!ended.await(SOON.toMillis(), TimeUnit.MILLISECONDS)) {
                    reports.schedule(revision, now);
                }
            } catch (InterruptedException | RuntimeException e) {
                // The outcome is said in the same place, and that is tried again if it fails.
                log.atDebug()
                        .addKeyValue("revision", revision.name())
                        .log("not said to be scheduled: {}", e.toString());
            }
        });
        try {
            return work.run();
        } finally {
            ended.countDown();
            saying.join();
        }
    }

    private void inspect(ObservedRevision revision, long now) throws InterruptedException {
        vouched.require(revision);
        for (var artifact : revision.status().artifacts()) {
            if (!inspectedDigests.contains(artifact.digest())) {
                initializer.inspect(artifact);
                inspectedDigests.add(artifact.digest());
            }
        }
        if (!vouched.statements().isCurrent(revision)) {
            reports.renewStatement(revision, now);
        }
        var name = revision.name();
        switch (signatures.check(revision)) {
            case Verdict.Accepted _ -> {
                reports.verified(revision, Optional.empty(), now);
                finish(now, () -> inspected(name));
            }
            case Verdict.Tolerated(var cause) -> {
                log.atWarn()
                        .addKeyValue("revision", name)
                        .addKeyValue("error", cause)
                        .log("revision enforced although its signature is not accepted");
                reports.verified(revision, Optional.of(cause), now);
                finish(now, () -> inspected(name));
            }
            case Verdict.Refused(var cause) -> {
                log.atError()
                        .addKeyValue("revision", name)
                        .addKeyValue("error", cause)
                        .log("revision withdrawn: its signature is not accepted");
                reports.conclude(
                        revision, InitializationOutcome.failed(Reason.SIGNATURE_VERIFICATION_ERROR, cause), now);
                finish(now, () -> failed(name, Reason.SIGNATURE_VERIFICATION_ERROR));
            }
        }
    }

    private void inspected(String name) {
        attempts.remove(name);
        inspected.add(name);
    }
}
