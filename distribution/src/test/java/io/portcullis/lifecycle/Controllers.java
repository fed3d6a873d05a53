package io.portcullis.lifecycle;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.testkit.program.ShellCommandException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The two controllers of an installation, looked after as in a cluster: one that has ended is started again, and their
 * Service leads to those that are ready.
 */
final class Controllers implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Controllers.class);
    private static final Duration PERIOD = Duration.ofMillis(200);
    private static final Duration RESTART_PAUSE = Duration.ofSeconds(1);

    private final Installation installation;
    private final List<ControllerPod> all;
    /** What the Service says; of the loop alone. */
    private final Map<ControllerPod, Boolean> led = new HashMap<>();

    private final Map<ControllerPod, Long> endedAt = new HashMap<>();
    private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("controllers").daemon().factory());

    private Controllers(Installation installation) {
        this.installation = installation;
        this.all = List.of(installation.first(), installation.addController());
        led.put(installation.first(), true);
    }

    /** Adds the second one. */
    static Controllers of(Installation installation) {
        var controllers = new Controllers(installation);
        controllers.all.getLast().start();
        var _ = controllers.loop.scheduleWithFixedDelay(controllers::look, 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        return controllers;
    }

    ControllerPod get(int number) {
        return all.get(number);
    }

    boolean areReady() {
        return all.stream().allMatch(ControllerPod::isReady);
    }

    /** The lease of the one that acts, if there ever was one. */
    Optional<Lease> lease() {
        return Optional.ofNullable(installation
                .client()
                .leases()
                .inNamespace(installation.client().getNamespace())
                .withName("a4ddbf36.kubewarden.io")
                .get());
    }

    /** Who acts, or did last. */
    ControllerPod leader() {
        var holder = lease().map(lease -> lease.getSpec().getHolderIdentity()).orElse("");
        return all.stream()
                .filter(controller -> holder.startsWith(controller.name() + "_"))
                .findFirst()
                .orElse(installation.first());
    }

    private void look() {
        try {
            all.forEach(this::look);
        } catch (KubernetesClientException | ShellCommandException e) {
            log.atWarn().setCause(e).log("will look again");
        }
    }

    private void look(ControllerPod controller) {
        if (!controller.isAlive()) {
            long since = endedAt.computeIfAbsent(controller, _ -> System.nanoTime());
            if (System.nanoTime() - since > RESTART_PAUSE.toNanos()) {
                endedAt.remove(controller);
                controller.start();
            }
        }
        boolean ready = controller.isReady();
        if (ready != led.getOrDefault(controller, false)) {
            installation.lead(controller, ready);
            led.put(controller, ready);
        }
    }

    /** Looks no longer; the controllers end with their installation. */
    @Override
    public void close() {
        loop.close();
    }
}
