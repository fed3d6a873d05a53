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
 * Faults of replicas that Kubernetes reports as ready, with real TLS: Enforced becomes False within 30 seconds. {@code
 * -Dportcullis.faultSchedules=200} runs the number of schedules that the requirement asks for. EnforcedUnderFaultsTest
 * runs 200 in simulated time.
 */
@Tag("level1")
@RealCluster
class FaultInjectionIT {

    private static final int PARALLEL = 12;
    private static final int SCHEDULES = Integer.getInteger("portcullis.faultSchedules", PARALLEL);
    private static final Duration MAX_WRONG_TIME = Duration.ofSeconds(30);

    private static final List<SimulatedServer.Fault> FAULTS = List.of(SimulatedServer.Fault.values());

    private static SimulatedInstallation installation;

    @BeforeAll
    static void install(TestCluster cluster) {
        installation = new SimulatedInstallation(cluster);
    }

    @AfterAll
    static void uninstall() {
        installation.close();
    }

    private record Subject(SimulatedServer server, SimulatedPolicy policy) {}

    private static boolean isEnforced(PolicyStatus status) {
        return status.condition(ENFORCED).orElseThrow().isTrue();
    }

    @Test
    void revokesEnforcedWithinThirtySecondsOfAFault() throws ExecutionException, InterruptedException {
        long seed = Long.getLong("portcullis.seed", System.nanoTime());
        var random = new Random(seed);
        var subjects = new ArrayList<Subject>();
        for (int i = 0; i < PARALLEL; i++) {
            var server = installation.server(2);
            subjects.add(new Subject(server, SimulatedPolicy.create(installation, "fault-" + i, server)));
        }
        subjects.forEach(subject -> subject.policy().awaitWithServers(FaultInjectionIT::isEnforced));

        for (int done = 0; done < SCHEDULES; done += PARALLEL) {
            List<Future<?>> schedules = new ArrayList<>();
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < PARALLEL; i++) {
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

    /** Injects the fault at a random time between two probes, then removes it. */
    private static Object schedule(
            Subject subject, int replica, SimulatedServer.Fault fault, Duration when, String name)
            throws InterruptedException {
        Thread.sleep(when);
        subject.server().setFault(replica, fault);
        var start = System.nanoTime();
        var status = subject.policy().await(candidate -> !isEnforced(candidate), Duration.ofSeconds(40));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).as(name).isLessThan(MAX_WRONG_TIME);
        assertThat(status.condition(ENFORCED).orElseThrow().message()).as(name).contains("replica " + replica);
        subject.server().setFault(replica, null);
        return subject.policy().await(FaultInjectionIT::isEnforced, Duration.ofSeconds(40));
    }
}
