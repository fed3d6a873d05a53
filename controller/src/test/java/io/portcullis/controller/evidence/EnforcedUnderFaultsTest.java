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
import io.portcullis.api.status.Facts;
import io.portcullis.api.status.Facts.Endpoint;
import io.portcullis.api.status.Facts.Fidelity;
import io.portcullis.api.status.Facts.Precedence;
import io.portcullis.api.status.Facts.Registration;
import io.portcullis.api.status.Facts.Subject;
import io.portcullis.api.status.Facts.Target;
import io.portcullis.api.status.RolloutProgress;
import io.portcullis.api.status.StatusDerivation;
import io.portcullis.controller.evidence.EvidenceStore.Source;
import io.portcullis.controller.evidence.ReplicaProber.Question;
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
 * Enforced does not outlive the truth by more than 30 seconds, whatever replicas do. Time is simulated; what decides is
 * real: prober, book and derivation. With real TLS and a real API server the same is shown by FaultInjectionIT.
 */
class EnforcedUnderFaultsTest {

    private static final int SCHEDULES = 200;
    private static final int REPLICAS = 3;
    private static final Duration LONGEST_UNTRUTH = Duration.ofSeconds(30);
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

    /** What a replica does when it is asked. */
    private enum Fault {
        NONE(true, 0),
        SLOW(true, 4000),
        SERVES_NOTHING(false, 0),
        REFUSES_CONNECTIONS(false, 10),
        HANGS(false, 5000),
        WRONG_CERTIFICATE(false, 20),
        UNTHOUGHT_OF(false, 0),
        ANOTHER_POD(false, 0);

        final boolean serves;
        final long millis;

        Fault(boolean serves, long millis) {
            this.serves = serves;
            this.millis = millis;
        }
    }

    @Test
    void enforcedNeverOutlivesTheTruthByMoreThanThirtySeconds() {
        long seed = Long.getLong("portcullis.seed", System.nanoTime());
        int untruths = 0;
        for (int i = 0; i < SCHEDULES; i++) {
            var schedule = new Schedule(seed + i);
            try {
                schedule.run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("schedule with -Dportcullis.seed=" + (seed + i) + ": " + e.getMessage(), e);
            }
            untruths += schedule.revocations;
        }
        assertThat(untruths).as("faults that were found out; seed " + seed).isGreaterThan(SCHEDULES);
    }

    /** One world with its own time. */
    private static final class Schedule implements ReplicaProber.Fleet, ReplicaProber.Asking {

        private final Random random;
        private final PriorityQueue<Happening> agenda = new PriorityQueue<>(Comparator.comparing(Happening::at));
        private final Fault[] faults = new Fault[REPLICAS];
        private final boolean[] ready = new boolean[REPLICAS];
        private final Map<Integer, Instant> unableSince = new HashMap<>();
        private final EvidenceStore book;
        private final ReplicaProber prober;
        private Instant now = START;
        /** Between the clock on the wall and the time that has really passed. */
        private Duration skew = Duration.ZERO;

        private boolean isEnforced;
        private int revocations;
        private boolean isProbing;
        private boolean isAskedAgain;
        private long probePlan;
        private List<Fault> seen = List.of();
        private List<Replica> asked = List.of();

        private record Happening(Instant at, Runnable what) {}

        Schedule(long seed) {
            random = new Random(seed);
            Arrays.fill(faults, Fault.NONE);
            Arrays.fill(ready, true);
            InstantSource time = () -> now.plus(skew);
            book = new EvidenceStore(time.withZone(ZoneOffset.UTC));
            prober = new ReplicaProber(
                    this, book, this, new ReplicaProber.Listener(_ -> derivation(), _ -> derivation()), random, time);
        }

        void run() {
            probe();
            for (int i = 0; i < 12; i++) {
                after(anyTime(), this::somethingBreaks);
                after(anyTime(), this::derive);
            }
            for (int i = 0; i < 3; i++) {
                after(anyTime(), this::aReplicaGoesAndComes);
            }
            after(anyTime(), this::theClockIsSet);
            for (int i = 0; i < 60; i++) {
                after(anyTime(), this::aReplicaReports);
            }
            goOnUntil(START.plus(LENGTH));
            IntStream.range(0, REPLICAS).forEach(replica -> {
                become(replica, Fault.NONE);
                ready[replica] = true;
            });
            traffic();
            goOnUntil(now.plusSeconds(30));
            assertThat(isEnforced).as("all is well again").isTrue();
        }

        private void after(Duration time, Runnable what) {
            agenda.add(new Happening(now.plus(time), what));
        }

        private void goOnUntil(Instant end) {
            while (!agenda.isEmpty() && !agenda.peek().at().isAfter(end)) {
                var next = agenda.remove();
                now = next.at();
                assertTrueEnough();
                next.what().run();
            }
            now = end;
            assertTrueEnough();
        }

        private void assertTrueEnough() {
            unableSince.forEach((replica, since) -> {
                if (isEnforced && ready[replica]) {
                    assertThat(Duration.between(since, now))
                            .as("replica %d: %s at %s", replica, faults[replica], now)
                            .isLessThanOrEqualTo(LONGEST_UNTRUTH);
                }
            });
        }

        private Duration anyTime() {
            return Duration.ofMillis(random.nextLong(LENGTH.toMillis()));
        }

        /** For a while, which may be too short to be noticed. */
        private void somethingBreaks() {
            int replica = random.nextInt(REPLICAS);
            become(replica, FAULTS.get(random.nextInt(FAULTS.size())));
            after(Duration.ofMillis(random.nextInt(60_000)), () -> become(replica, Fault.NONE));
        }

        private void theClockIsSet() {
            skew = Duration.ofSeconds(random.nextInt(-7200, 7200));
        }

        private void become(int replica, Fault fault) {
            faults[replica] = fault;
            if (fault.serves) {
                unableSince.remove(replica);
            } else {
                unableSince.putIfAbsent(replica, now);
            }
        }

        private void aReplicaGoesAndComes() {
            int replica = random.nextInt(REPLICAS);
            beReady(replica, false);
            after(Duration.ofMillis(random.nextInt(20_000)), () -> beReady(replica, true));
        }

        private void beReady(int replica, boolean isReady) {
            ready[replica] = isReady;
            unableSince.computeIfPresent(replica, (_, _) -> now);
            traffic();
        }

        /** As the watches announce it. */
        private void traffic() {
            derivation();
            prober.askEverything(SERVER);
            probeSoon(Duration.ofMillis(50));
        }

        /** As the watches announce it; nothing that a replica is asked in between may hide what it no longer does. */
        private void aReplicaReports() {
            prober.askAbout(SERVER, random.nextInt(REPLICAS), random.nextBoolean() ? POLICY : "another");
            probeSoon(Duration.ofMillis(50));
        }

        private void derivation() {
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
            boolean isSettled = live().size() == REPLICAS;
            var facts = new Facts(
                    new Subject("ClusterAdmissionPolicy", 1, List.of()),
                    new Target.Present(SERVER, REPLICAS, isSettled),
                    progress,
                    new Registration.Registered(
                            progress, SERVER, PolicyMode.PROTECT, new Fidelity.Exact(), Optional.empty()),
                    live().stream()
                            .map(replica -> new Endpoint(
                                    "replica " + replica.ordinal(),
                                    book.probe(source(replica), List.of(ServedGeneration.expectedOf(REVISION)))))
                            .toList(),
                    Precedence.UNDISPUTED);
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

        // The queue of probes: one at a time, the earliest plan counts, a call during a probe leads to another.

        private void probeSoon(Duration delay) {
            if (isProbing) {
                isAskedAgain = true;
                return;
            }
            long plan = ++probePlan;
            after(delay, () -> {
                if (plan == probePlan) {
                    probe();
                }
            });
        }

        /** Answers tell how it was when the question was put, and come as late as the slowest of them. */
        private void probe() {
            isProbing = true;
            seen = List.of(faults);
            asked = live();
            long slowest = asked.stream()
                    .mapToLong(replica -> faults[replica.ordinal()].millis)
                    .max()
                    .orElse(0);
            after(Duration.ofMillis(slowest), this::answersAreHere);
        }

        private void answersAreHere() {
            try {
                var next = prober.reconcile(SERVER).orElseThrow();
                isProbing = false;
                probeSoon(isAskedAgain ? Duration.ZERO : next);
                isAskedAgain = false;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Optional<Evidence> ask(
                InetSocketAddress address, String serviceName, String caBundle, String token, Question question)
                throws IOException {
            int replica = address.getAddress().getAddress()[3];
            var evidence = said(replica);
            return switch (question) {
                case Question.Everything(var known) ->
                    Optional.of(evidence).filter(said -> !known.equals(Optional.of(said.digest())));
                case Question.Policies(var policyIds) -> Optional.of(evidence.about(policyIds));
            };
        }

        private Evidence said(int replica) throws IOException {
            var served = List.of(ServedGeneration.expectedOf(REVISION));
            return switch (seen.get(replica)) {
                case NONE, SLOW -> new Evidence("uid-" + replica, replica, served);
                case SERVES_NOTHING -> new Evidence("uid-" + replica, replica, List.of());
                case ANOTHER_POD -> new Evidence("uid-of-another", replica, served);
                case REFUSES_CONNECTIONS, HANGS, WRONG_CERTIFICATE -> throw new IOException("no answer");
                case UNTHOUGHT_OF -> throw new IllegalStateException("nobody thought of this");
            };
        }

        @Override
        public Optional<PolicyServer> server(String name) {
            return Optional.of(new PolicyServer());
        }

        @Override
        public List<Replica> readyReplicas(String server) {
            return isProbing ? asked : live();
        }

        private List<Replica> live() {
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
