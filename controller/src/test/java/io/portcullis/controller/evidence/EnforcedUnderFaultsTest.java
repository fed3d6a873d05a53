package io.portcullis.controller.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServedGeneration;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.evidence.EvidenceStore.Source;
import io.portcullis.controller.evidence.ReplicaProber.Question;
import io.portcullis.core.status.Facts;
import io.portcullis.core.status.Facts.Endpoint;
import io.portcullis.core.status.Facts.Fidelity;
import io.portcullis.core.status.Facts.Precedence;
import io.portcullis.core.status.Facts.Registration;
import io.portcullis.core.status.Facts.Subject;
import io.portcullis.core.status.Facts.Target;
import io.portcullis.core.status.RolloutProgress;
import io.portcullis.core.status.StatusDerivation;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The Enforced condition is never wrong for more than 30 seconds, whatever faults replicas have. Time is simulated. The
 * prober, the evidence store and the status scheduleDerivation are real. FaultInjectionIT tests the same with real TLS and a
 * real API server.
 */
class EnforcedUnderFaultsTest {

    private static final int SCHEDULES = 200;
    private static final int REPLICAS = 3;
    private static final Duration MAX_WRONG_TIME = Duration.ofSeconds(30);
    private static final Duration LENGTH = Duration.ofMinutes(5);
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final String SERVER = "server";
    private static final PolicyRevision REVISION = revision();
    private static final String POLICY = REVISION.getSpec().policyID();
    private static final List<Fault> FAULTS = List.of(Fault.values());

    private static PolicyRevision revision() {
        var policy = new ClusterAdmissionPolicy();
        policy.setMetadata(new ObjectMetaBuilder()
                .withName("p")
                .withUid("uid")
                .withGeneration(1L)
                .build());
        policy.getSpec().put("module", "registry://example/p:v1").put("mutating", false);
        return new DesiredRevision(IdentityScheme.DOTTED, "kubewarden").of(policy);
    }

    /** The behaviour of a replica during a probe. */
    private enum Fault {
        NONE(true, 0),
        SLOW(true, 4000),
        SERVES_NOTHING(false, 0),
        REFUSES_CONNECTIONS(false, 10),
        HANGS(false, 5000),
        WRONG_CERTIFICATE(false, 20),
        UNEXPECTED_EXCEPTION(false, 0),
        ANOTHER_POD(false, 0);

        final boolean serves;
        final long millis;

        Fault(boolean serves, long millis) {
            this.serves = serves;
            this.millis = millis;
        }
    }

    @Test
    void enforcedIsNeverWrongForMoreThanThirtySeconds() {
        long seed = Long.getLong("portcullis.seed", System.nanoTime());
        int revocations = 0;
        for (int i = 0; i < SCHEDULES; i++) {
            var schedule = new Schedule(seed + i);
            try {
                schedule.run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("schedule with -Dportcullis.seed=" + (seed + i) + ": " + e.getMessage(), e);
            }
            revocations += schedule.revocations;
        }
        assertThat(revocations).as("detected faults; seed " + seed).isGreaterThan(SCHEDULES);
    }

    /** One simulation with its own time. */
    private static final class Schedule implements ReplicaProber.Fleet, ReplicaProber.Asking {

        private final Random random;
        private final PriorityQueue<TimedAction> actions = new PriorityQueue<>(Comparator.comparing(TimedAction::at));
        private final Fault[] faults = new Fault[REPLICAS];
        private final boolean[] ready = new boolean[REPLICAS];
        private final Map<Integer, Instant> notServingSince = new HashMap<>();
        private final EvidenceStore store;
        private final ReplicaProber prober;
        private Instant now = START;
        /** The difference between the wall clock and the elapsed time. */
        private Duration skew = Duration.ZERO;

        private boolean isEnforced;
        private int revocations;
        private boolean isProbing;
        private boolean isProbeRequested;
        private long latestPlan;
        private List<Fault> probedFaults = List.of();
        private List<Replica> probedReplicas = List.of();

        private record TimedAction(Instant at, Runnable action) {}

        Schedule(long seed) {
            random = new Random(seed);
            Arrays.fill(faults, Fault.NONE);
            Arrays.fill(ready, true);
            InstantSource time = () -> now.plus(skew);
            store = new EvidenceStore(time.withZone(ZoneOffset.UTC));
            prober = new ReplicaProber(
                    this,
                    store,
                    this,
                    new ReplicaProber.Listener(_ -> scheduleDerivation(), _ -> scheduleDerivation()),
                    random,
                    time);
        }

        void run() {
            probe();
            for (int i = 0; i < 12; i++) {
                after(randomTime(), this::injectFault);
                after(randomTime(), this::derive);
            }
            for (int i = 0; i < 3; i++) {
                after(randomTime(), this::restartReplica);
            }
            after(randomTime(), this::changeWallClock);
            for (int i = 0; i < 60; i++) {
                after(randomTime(), this::replicaReported);
            }
            runUntil(START.plus(LENGTH));
            IntStream.range(0, REPLICAS).forEach(replica -> {
                setFault(replica, Fault.NONE);
                ready[replica] = true;
            });
            replicasChanged();
            runUntil(now.plusSeconds(30));
            assertThat(isEnforced).as("enforced again without faults").isTrue();
        }

        private void after(Duration time, Runnable action) {
            actions.add(new TimedAction(now.plus(time), action));
        }

        private void runUntil(Instant end) {
            while (!actions.isEmpty() && !actions.peek().at().isAfter(end)) {
                var next = actions.remove();
                now = next.at();
                assertNotWrongForTooLong();
                next.action().run();
            }
            now = end;
            assertNotWrongForTooLong();
        }

        private void assertNotWrongForTooLong() {
            notServingSince.forEach((replica, since) -> {
                if (isEnforced && ready[replica]) {
                    assertThat(Duration.between(since, now))
                            .as("replica %d: %s at %s", replica, faults[replica], now)
                            .isLessThanOrEqualTo(MAX_WRONG_TIME);
                }
            });
        }

        private Duration randomTime() {
            return Duration.ofMillis(random.nextLong(LENGTH.toMillis()));
        }

        /** Injects a fault for a random time, which may be too short for a probe to detect. */
        private void injectFault() {
            int replica = random.nextInt(REPLICAS);
            setFault(replica, FAULTS.get(random.nextInt(FAULTS.size())));
            after(Duration.ofMillis(random.nextInt(60_000)), () -> setFault(replica, Fault.NONE));
        }

        private void changeWallClock() {
            skew = Duration.ofSeconds(random.nextInt(-7200, 7200));
        }

        private void setFault(int replica, Fault fault) {
            faults[replica] = fault;
            if (fault.serves) {
                notServingSince.remove(replica);
            } else {
                notServingSince.putIfAbsent(replica, now);
            }
        }

        private void restartReplica() {
            int replica = random.nextInt(REPLICAS);
            setReady(replica, false);
            after(Duration.ofMillis(random.nextInt(20_000)), () -> setReady(replica, true));
        }

        private void setReady(int replica, boolean isReady) {
            ready[replica] = isReady;
            notServingSince.computeIfPresent(replica, (_, _) -> now);
            replicasChanged();
        }

        /** Simulates the watch event for a change of replicas. */
        private void replicasChanged() {
            scheduleDerivation();
            prober.askEverything(SERVER);
            probeSoon(Duration.ofMillis(50));
        }

        /** Simulates the watch event for a replica report. A probe for single policies must not hide other changes. */
        private void replicaReported() {
            prober.askAbout(SERVER, random.nextInt(REPLICAS), random.nextBoolean() ? POLICY : "another");
            probeSoon(Duration.ofMillis(50));
        }

        private void scheduleDerivation() {
            after(Duration.ofMillis(50 + random.nextInt(200)), this::derive);
        }

        private void derive() {
            var conditions = new ArrayList<Condition>();
            conditions.add(Condition.ofGeneration(
                    ConditionType.SCHEDULED, 1, Reason.POLICY_SCHEDULED.status(), Reason.POLICY_SCHEDULED, ""));
            conditions.add(Condition.ofGeneration(
                    ConditionType.INITIALIZED, 1, Reason.POLICY_INITIALIZED.status(), Reason.POLICY_INITIALIZED, ""));
            IntStream.range(0, REPLICAS)
                    .forEach(replica -> conditions.add(
                            Condition.ofReplica(1, replica, Reason.POLICY_READY.status(), Reason.POLICY_READY, "")));
            var progress = RolloutProgress.of(1, conditions);
            boolean isSettled = currentReplicas().size() == REPLICAS;
            var facts = new Facts(
                    new Subject("ClusterAdmissionPolicy", 1, List.of()),
                    new Target.Present(SERVER, REPLICAS, isSettled),
                    progress,
                    new Registration.Registered(
                            progress, SERVER, PolicyMode.PROTECT, new Fidelity.Exact(), Optional.empty()),
                    currentReplicas().stream()
                            .map(replica -> new Endpoint(
                                    "replica " + replica.ordinal(),
                                    store.probe(source(replica), List.of(ServedGeneration.expectedOf(REVISION)))))
                            .toList(),
                    Precedence.UNDISPUTED,
                    List.of());
            boolean was = isEnforced;
            isEnforced = StatusDerivation.derive(facts)
                    .condition(ConditionType.ENFORCED)
                    .orElseThrow()
                    .isTrue();
            if (was && !isEnforced && isSettled) {
                revocations++;
            }
        }

        private static Source source(Replica replica) {
            return new Source(SERVER, replica.podUid(), "bundle");
        }

        // The probe queue: one probe at a time, the earliest schedule applies, a request during a probe leads to
        // another probe.

        private void probeSoon(Duration delay) {
            if (isProbing) {
                isProbeRequested = true;
                return;
            }
            long plan = ++latestPlan;
            after(delay, () -> {
                if (plan == latestPlan) {
                    probe();
                }
            });
        }

        /** Starts a probe. The answers show the state at the start of the probe and arrive after the slowest delay. */
        private void probe() {
            isProbing = true;
            probedFaults = List.of(faults);
            probedReplicas = currentReplicas();
            long slowest = probedReplicas.stream()
                    .mapToLong(replica -> faults[replica.ordinal()].millis)
                    .max()
                    .orElse(0);
            after(Duration.ofMillis(slowest), this::completeProbe);
        }

        private void completeProbe() {
            try {
                var next = prober.reconcile(SERVER).orElseThrow();
                isProbing = false;
                probeSoon(isProbeRequested ? Duration.ZERO : next);
                isProbeRequested = false;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Optional<Evidence> ask(
                InetSocketAddress address, String serviceName, String caBundle, String token, Question question)
                throws IOException {
            int replica = address.getAddress().getAddress()[3];
            var evidence = answer(replica);
            return switch (question) {
                case Question.Everything(var known) ->
                    Optional.of(evidence).filter(answer -> !known.equals(Optional.of(answer.digest())));
                case Question.Policies(var policyIds) -> Optional.of(evidence.about(policyIds));
            };
        }

        private Evidence answer(int replica) throws IOException {
            var served = List.of(ServedGeneration.expectedOf(REVISION));
            return switch (probedFaults.get(replica)) {
                case NONE, SLOW -> new Evidence("uid-" + replica, replica, served);
                case SERVES_NOTHING -> new Evidence("uid-" + replica, replica, List.of());
                case ANOTHER_POD -> new Evidence("uid-of-another", replica, served);
                case REFUSES_CONNECTIONS, HANGS, WRONG_CERTIFICATE -> throw new IOException("no answer");
                case UNEXPECTED_EXCEPTION -> throw new IllegalStateException("unexpected fault");
            };
        }

        @Override
        public Optional<PolicyServer> server(String name) {
            return Optional.of(new PolicyServer());
        }

        @Override
        public List<Replica> readyReplicas(String server) {
            return isProbing ? probedReplicas : currentReplicas();
        }

        private List<Replica> currentReplicas() {
            return IntStream.range(0, REPLICAS)
                    .filter(replica -> ready[replica])
                    .mapToObj(replica -> new Replica(replica, "uid-" + replica, "10.0.0." + replica))
                    .toList();
        }

        @Override
        public Set<String> caBundles(String server) {
            return Set.of("bundle");
        }

        @Override
        public Optional<String> token(String server) {
            return Optional.of("token");
        }

        @Override
        public String serviceName(String server) {
            return "policy-server-" + server + ".kubewarden.svc";
        }
    }
}
