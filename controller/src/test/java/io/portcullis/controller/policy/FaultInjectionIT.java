package io.portcullis.controller.policy;

import static io.portcullis.api.condition.ConditionType.ENFORCED;
import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Replicas that Kubernetes thinks well of and that do not serve, with real TLS: Enforced is taken back within 30 seconds.
 * {@code -Dportcullis.faultSchedules=200} runs as many as the bar asks for; 200 in simulated time are in
 * EnforcedUnderFaultsTest.
 */
@Tag("level1")
@RealCluster
class FaultInjectionIT {

    private static final int AT_ONCE = 12;
    private static final int SCHEDULES = Integer.getInteger("portcullis.faultSchedules", AT_ONCE);
    private static final Duration LONGEST_UNTRUTH = Duration.ofSeconds(30);

    private static final List<PlayedServer.Fault> FAULTS = List.of(PlayedServer.Fault.values());

    private static Installation installation;

    @BeforeAll
    static void install(TestCluster cluster) {
        installation = new Installation(cluster);
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    private record Subject(PlayedServer server, PlayedPolicy policy) {}

    private static boolean isEnforced(PolicyStatus status) {
        return status.condition(ENFORCED).orElseThrow().isTrue();
    }

    @Test
    void enforcedIsTakenBackWithinThirtySecondsOfAFault() throws ExecutionException, InterruptedException {
        long seed = Long.getLong("portcullis.seed", System.nanoTime());
        var random = new Random(seed);
        var subjects = new ArrayList<Subject>();
        for (int i = 0; i < AT_ONCE; i++) {
            var server = installation.server(2);
            subjects.add(new Subject(server, PlayedPolicy.create(installation, "fault-" + i, server)));
        }
        subjects.forEach(subject -> subject.policy().awaitPlaying(FaultInjectionIT::isEnforced));

        for (int done = 0; done < SCHEDULES; done += AT_ONCE) {
            List<Future<?>> schedules = new ArrayList<>();
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < AT_ONCE; i++) {
                    var subject = subjects.get(i);
                    var fault = FAULTS.get((done + i) % FAULTS.size());
                    var when = Duration.ofMillis(random.nextInt(10_000));
                    var replica = random.nextInt(2);
                    var name = "%s of replica %d after %s; -Dportcullis.seed=%d".formatted(fault, replica, when, seed);
                    schedules.add(threads.submit(() -> schedule(subject, replica, fault, when, name)));
                }
            }
            for (Future<?> schedule : schedules) {
                schedule.get();
            }
        }
    }

    /** The fault comes at its own time between two probes; afterwards all is well again. */
    private static Object schedule(Subject subject, int replica, PlayedServer.Fault fault, Duration when, String name)
            throws InterruptedException {
        Thread.sleep(when);
        subject.server().harm(replica, fault);
        var begun = System.nanoTime();
        var status = subject.policy().await(known -> !isEnforced(known), Duration.ofSeconds(40));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).as(name).isLessThan(LONGEST_UNTRUTH);
        assertThat(status.condition(ENFORCED).orElseThrow().message()).as(name).contains("replica " + replica);
        subject.server().harm(replica, null);
        return subject.policy().await(FaultInjectionIT::isEnforced, Duration.ofSeconds(40));
    }
}
