package io.portcullis.server.cluster.initialization;

import io.portcullis.api.condition.Reason;
import io.portcullis.api.time.Pause;
import io.portcullis.core.lifecycle.RevisionBackoff;
import io.portcullis.core.tenancy.PolicyUse.NamespaceUse;
import io.portcullis.process.leadership.Tenure;
import io.portcullis.server.cluster.initialization.InitializationPlan.Attempt;
import io.portcullis.server.cluster.initialization.InitializationPlan.Facts;
import io.portcullis.server.cluster.initialization.SignatureCheck.Verdict;
import io.portcullis.server.cluster.loop.Loop;
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
 * Executes the decisions of {@link InitializationPlan} while this replica leads. All its state belongs to one term: a new
 * leader starts from the stored status. Confined to the loop's thread.
 */
public final class LeaderWork {

    private static final Logger log = LoggerFactory.getLogger(LeaderWork.class);
    /** A change of settings for a cached module takes less time than this. */
    private static final Duration REPORT_SCHEDULED_AFTER = Duration.ofMillis(300);

    private final Tenure tenure;
    private final TenancyCheck tenancy;
    private final Initializer initializer;
    private final SignedModules signedModules;
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
    /** Revisions whose local state changed. The watch reports changes in the cluster. */
    private final Set<String> dirty = new HashSet<>();
    /** Shared with the workers. Many revisions use the same module, so each digest is inspected once. */
    private final Set<String> inspectedDigests = ConcurrentHashMap.newKeySet();

    /** @param workers platform threads, because each may wait for a registry or run a guest */
    public LeaderWork(
            Tenure tenure,
            TenancyCheck tenancy,
            Initializer initializer,
            SignedModules signedModules,
            SignatureCheck signatures,
            LeaderReports reports,
            ExecutorService workers,
            Loop loop,
            InstantSource clock,
            RandomGenerator random) {
        this.tenure = tenure;
        this.tenancy = tenancy;
        this.initializer = initializer;
        this.signedModules = signedModules;
        this.signatures = signatures;
        this.reports = reports;
        this.workers = workers;
        this.loop = loop;
        this.clock = clock;
        this.random = random;
    }

    /** Reconciles the policies that changed, or all policies at the start of a term. */
    public void reconcile(RevisionIndex index, Changes changes, PolicyLoadSpecs loadSpecs) {
        changes.policies().forEach(policyId -> index.of(policyId).forEach(revision -> tenure.sawTerm(revision.term())));
        changes.deleted().forEach(this::drop);
        var currentTerm = tenure.term();
        var isNewTerm = !currentTerm.equals(term);
        if (isNewTerm) {
            running.values().forEach(task -> task.cancel(true));
            running.clear();
            attempts.clear();
            inspected.clear();
            inspectedDigests.clear();
            signatures.clear();
            term = currentTerm;
        }
        if (currentTerm.isEmpty()) {
            dirty.clear();
            return;
        }
        for (var policyId : isNewTerm ? index.policies() : due(index, changes)) {
            var revisions = index.of(policyId);
            revisions.forEach(revision -> step(revision, index, loadSpecs, currentTerm.getAsLong()));
        }
    }

    private Set<String> due(RevisionIndex index, Changes changes) {
        dirty.addAll(attempts.keySet());
        var due = index.due(changes, dirty, this::drop);
        dirty.clear();
        return due;
    }

    /** Makes every failed revision due now, unless its failure is permanent. Call on the loop's thread. */
    public void retryNow() {
        attempts.replaceAll((_, attempt) ->
                new Attempt(attempt.failures(), attempt.pause().map(_ -> Pause.of(clock.instant(), Duration.ZERO))));
    }

    private void drop(String revision) {
        Optional.ofNullable(running.remove(revision)).ifPresent(task -> task.cancel(true));
        attempts.remove(revision);
        inspected.remove(revision);
    }

    private void step(ObservedRevision revision, RevisionIndex index, PolicyLoadSpecs loadSpecs, long currentTerm) {
        var name = revision.name();
        var facts = new Facts(
                revision.isEnabled(),
                revision.scheduled(),
                revision.initialized(),
                running.containsKey(name),
                Optional.ofNullable(attempts.get(name)),
                inspected.contains(name) && signedModules.statements().isCurrent(revision));
        switch (InitializationPlan.decide(facts, clock.instant())) {
            case NOTHING -> {}
            case ABANDON -> {
                log.atInfo().addKeyValue("revision", name).log("initialisation abandoned");
                Optional.ofNullable(running.remove(name)).ifPresent(task -> task.cancel(true));
                attempts.remove(name);
            }
            case SCHEDULE -> begin(revision, currentTerm, () -> reports.reportScheduled(revision, currentTerm));
            case INITIALIZE -> {
                var loadSpec = loadSpecs.of(revision);
                var earlier = EarlierModules.of(revision, index.of(revision.policyId()));
                var olderUse = TenancyCheck.olderUse(revision, index.all(), loadSpecs);
                begin(revision, currentTerm, () -> initialize(revision, loadSpec, earlier, olderUse, currentTerm));
            }
            case INSPECT -> begin(revision, currentTerm, () -> inspect(revision, currentTerm));
        }
    }

    @FunctionalInterface
    private interface Work {
        void run() throws InterruptedException;
    }

    /**
     * A task for one revision. It removes itself when it ends, unless a newer task for the same revision has replaced it.
     */
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
                dirty.add(revision);
            });
        }
    }

    private void begin(ObservedRevision revision, long currentTerm, Work work) {
        var task = new Task(revision.name(), () -> attempt(revision.name(), currentTerm, work));
        workers.execute(task);
        running.put(revision.name(), task);
    }

    private void attempt(String name, long currentTerm, Work work) {
        try {
            work.run();
        } catch (InterruptedException e) {
            log.atDebug().addKeyValue("revision", name).log("cancelled");
        } catch (RuntimeException e) {
            log.atWarn()
                    .addKeyValue("revision", name)
                    .addKeyValue("error", e.toString())
                    .setCause(log.isDebugEnabled() ? e : null)
                    .log("leader task failed, trying again");
            finish(currentTerm, () -> failed(name, Reason.INTERNAL_ERROR));
        } catch (Error e) {
            finish(currentTerm, () -> failed(name, Reason.INTERNAL_ERROR));
            loop.post(() -> {
                throw e;
            });
        }
    }

    /** Applies the result of a task on the loop's thread, unless its term is over. */
    private void finish(long taskTerm, Runnable change) {
        loop.post(() -> {
            if (term.isPresent() && term.getAsLong() == taskTerm) {
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
            ObservedRevision revision,
            PolicyLoadSpec loadSpec,
            EarlierModules earlier,
            NamespaceUse olderUse,
            long currentTerm)
            throws InterruptedException {
        var outcome =
                reportScheduledIfSlow(revision, currentTerm, () -> outcome(revision, loadSpec, earlier, olderUse));
        reports.reportOutcome(revision, outcome, currentTerm);
        var name = revision.name();
        switch (outcome) {
            case InitializationOutcome.Done _ -> {
                log.atInfo().addKeyValue("revision", name).log("revision initialised");
                finish(currentTerm, () -> {
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
                finish(currentTerm, () -> failed(name, reason));
            }
        }
    }

    /** Initialises a revision. Reports unexpected errors as a failure too, so that a pending policy always shows a cause. */
    private InitializationOutcome outcome(
            ObservedRevision revision, PolicyLoadSpec loadSpec, EarlierModules earlier, NamespaceUse olderUse)
            throws InterruptedException {
        try {
            var refused = loadSpec instanceof PolicyLoadSpec.Usable usable
                    ? tenancy.failure(revision, usable, olderUse)
                    : Optional.<InitializationOutcome.Failed>empty();
            return refused.isPresent() ? refused.get() : initializer.initialize(revision, loadSpec, earlier);
        } catch (RuntimeException | Error e) {
            if (Thread.interrupted()) {
                throw new InterruptedException("cancelled");
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

    /** Runs the work. Reports Scheduled together with the outcome, or after 300 ms if the work is still running. */
    private InitializationOutcome reportScheduledIfSlow(
            ObservedRevision revision, long currentTerm, Initialization work) throws InterruptedException {
        var ended = new CountDownLatch(1);
        var reporter = Thread.ofVirtual().name("schedule-" + revision.name()).start(() -> {
            try {
                if (!ended.await(REPORT_SCHEDULED_AFTER.toMillis(), TimeUnit.MILLISECONDS)) {
                    reports.reportScheduled(revision, currentTerm);
                }
            } catch (InterruptedException | RuntimeException e) {
                // The report of the outcome also contains Scheduled, and the leader retries that report.
                log.atDebug().addKeyValue("revision", revision.name()).log("Scheduled not reported: {}", e.toString());
            }
        });
        try {
            return work.run();
        } finally {
            ended.countDown();
            reporter.join();
        }
    }

    private void inspect(ObservedRevision revision, long currentTerm) throws InterruptedException {
        signedModules.require(revision);
        for (var artifact : revision.status().artifacts()) {
            if (!inspectedDigests.contains(artifact.digest())) {
                initializer.inspect(artifact);
                inspectedDigests.add(artifact.digest());
            }
        }
        if (!signedModules.statements().isCurrent(revision)) {
            reports.renewStatement(revision, currentTerm);
        }
        var name = revision.name();
        switch (signatures.check(revision)) {
            case Verdict.Accepted _ -> {
                reports.reportVerification(revision, Optional.empty(), currentTerm);
                finish(currentTerm, () -> inspected(name));
            }
            case Verdict.Tolerated(var cause) -> {
                log.atWarn()
                        .addKeyValue("revision", name)
                        .addKeyValue("error", cause)
                        .log("revision enforced although its signature is not accepted");
                reports.reportVerification(revision, Optional.of(cause), currentTerm);
                finish(currentTerm, () -> inspected(name));
            }
            case Verdict.Refused(var cause) -> {
                log.atError()
                        .addKeyValue("revision", name)
                        .addKeyValue("error", cause)
                        .log("revision withdrawn: its signature is not accepted");
                reports.reportOutcome(
                        revision,
                        InitializationOutcome.failed(Reason.SIGNATURE_VERIFICATION_ERROR, cause),
                        currentTerm);
                finish(currentTerm, () -> failed(name, Reason.SIGNATURE_VERIFICATION_ERROR));
            }
        }
    }

    private void inspected(String name) {
        attempts.remove(name);
        inspected.add(name);
    }
}
