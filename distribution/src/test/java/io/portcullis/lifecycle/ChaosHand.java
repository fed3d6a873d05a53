package io.portcullis.lifecycle;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.lifecycle.ChaosSchedule.Action;
import io.portcullis.lifecycle.ChaosSchedule.Content;
import io.portcullis.lifecycle.ChaosSchedule.Victim;
import io.portcullis.testkit.fault.Cable;
import io.portcullis.testkit.hostpods.HostPod;
import io.portcullis.testkit.program.ShellCommandException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionTimeoutException;

/** Applies the planned faults to the processes that currently have the role. No process has two lasting faults at once. */
final class ChaosHand implements AutoCloseable {

    private static final Duration PATIENCE_OF_USERS = Duration.ofSeconds(20);

    private final Stage stage;
    private final String server;
    private final List<String> modules;
    private final Controllers controllers;
    private final Chronicle chronicle;
    private final KubernetesClient client;
    private final Policies policies;
    private final ExecutorService users = Executors.newVirtualThreadPerTaskExecutor();
    /** Ends what lasts. */
    private final ScheduledExecutorService relief = Executors.newScheduledThreadPool(
            1, Thread.ofPlatform().name("relief").daemon().factory());

    private final Set<String> hurt = ConcurrentHashMap.newKeySet();
    private final Set<String> paused = ConcurrentHashMap.newKeySet();

    ChaosHand(Stage stage, String server, List<String> modules, Controllers controllers, Chronicle chronicle) {
        this.stage = stage;
        this.server = server;
        this.modules = List.copyOf(modules);
        this.controllers = controllers;
        this.chronicle = chronicle;
        // By itself a client asks again and again for minutes.
        this.client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(stage.client().getConfiguration())
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
        this.policies = new Policies(client);
    }

    /** A process that can be hurt. */
    private record Sufferer(String name, Runnable kill, Runnable pause, Runnable resume, Cable line) {

        static Sufferer of(HostPod pod) {
            return new Sufferer(pod.name(), pod::kill, pod::pause, pod::resume, pod.line());
        }

        static Sufferer of(ControllerPod pod) {
            return new Sufferer(
                    pod.name(),
                    () -> pod.program().kill(),
                    () -> pod.program().pause(),
                    () -> pod.program().resume(),
                    pod.line());
        }
    }

    /** Returns at once: what lasts ends by itself, and what users do takes its time. */
    void carryOut(Action action) {
        chronicle.add("ACTION " + action);
        switch (action) {
            case Action.Change change ->
                asUser(action, () -> policies.edit(change.policy(), spec -> write(change.content(), spec)));
            case Action.RollBack rollBack -> asUser(action, () -> policies.rollBack(rollBack.policy(), "previous"));
            case Action.DeleteWebhook delete -> asUser(action, () -> deleteWebhook(delete.policy()));
            case Action.Kill kill -> kill(find(kill.victim()));
            case Action.Pause pause -> pause(find(pause.victim()), pause.time());
            case Action.Cut cut -> cut(find(cut.victim()), cut.time());
        }
    }

    void write(Content content, ObjectNode spec) {
        switch (content) {
            case Content.Good good -> {
                spec.put("message", good.message()).put("module", modules.get(good.module()));
                spec.putObject("settings").put("skip_init_containers", good.skipInitContainers());
            }
            case Content.RefusedSettings _ -> spec.putObject("settings").put("no_such_setting", true);
            case Content.MissingModule _ -> spec.put("module", modules.getFirst() + "-missing");
        }
    }

    private void deleteWebhook(String policy) {
        client.admissionRegistration()
                .v1()
                .validatingWebhookConfigurations()
                .withName("kw.cap." + policy)
                .delete();
    }

    /** Again for a while, since controllers have a say in every change and may be away. */
    private void asUser(Action action, Runnable request) {
        users.execute(() -> {
            try {
                await().atMost(PATIENCE_OF_USERS)
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(500))
                        .ignoreExceptionsMatching(ChaosHand::isUnanswered)
                        .until(() -> {
                            request.run();
                            return true;
                        });
                chronicle.add("done: " + action);
            } catch (ConditionTimeoutException e) {
                chronicle.add("given up: " + action + ": " + e.getCause());
            } catch (KubernetesClientException e) {
                chronicle.add("refused: " + action + ": " + e.getMessage());
            }
        });
    }

    /** Whether a server did not answer; the request was neither refused nor in conflict. */
    private static boolean isUnanswered(Throwable failure) {
        return failure instanceof KubernetesClientException refused
                && (refused.getCode() == 0 || refused.getCode() >= 500);
    }

    private Sufferer find(Victim victim) {
        var replicas = stage.pods(server);
        return switch (victim) {
            case REPLICA_0 -> Sufferer.of(replicas.get(0));
            case REPLICA_1 -> Sufferer.of(replicas.get(1));
            case REPLICA_2 -> Sufferer.of(replicas.get(2));
            case LEADING_REPLICA -> Sufferer.of(leading(replicas));
            case CONTROLLER_0 -> Sufferer.of(controllers.get(0));
            case CONTROLLER_1 -> Sufferer.of(controllers.get(1));
            case LEADING_CONTROLLER -> Sufferer.of(controllers.leader());
        };
    }

    /** Returns the first one while there is no leader. */
    private HostPod leading(List<HostPod> replicas) {
        var lease = stage.client()
                .leases()
                .inNamespace(stage.client().getNamespace())
                .withName(PolicyServerNames.service(server))
                .get();
        var holder = lease == null ? "" : String.valueOf(lease.getSpec().getHolderIdentity());
        return replicas.stream()
                .filter(pod -> pod.name().equals(holder))
                .findFirst()
                .orElse(replicas.getFirst());
    }

    private void kill(Sufferer sufferer) {
        if (paused.contains(sufferer.name())) {
            chronicle.add(sufferer.name() + " is paused and left alone");
        } else {
            chronicle.add("killing " + sufferer.name());
            attempt(sufferer.kill());
        }
    }

    private void pause(Sufferer sufferer, Duration time) {
        hurt(
                sufferer,
                time,
                () -> {
                    paused.add(sufferer.name());
                    sufferer.pause().run();
                },
                () -> {
                    paused.remove(sufferer.name());
                    sufferer.resume().run();
                });
    }

    private void cut(Sufferer sufferer, Duration time) {
        hurt(sufferer, time, sufferer.line()::cut, sufferer.line()::mend);
    }

    private void hurt(Sufferer sufferer, Duration time, Runnable begin, Runnable end) {
        if (!hurt.add(sufferer.name())) {
            chronicle.add(sufferer.name() + " suffers already and is left alone");
            return;
        }
        chronicle.add("hurting " + sufferer.name());
        attempt(begin);
        var _ = relief.schedule(
                () -> {
                    chronicle.add("relieving " + sufferer.name());
                    attempt(end);
                    hurt.remove(sufferer.name());
                },
                time.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private void attempt(Runnable change) {
        try {
            change.run();
        } catch (ShellCommandException | IllegalStateException e) {
            chronicle.add("was not running: " + e.getMessage());
        }
    }

    /** Waits until all that lasts is over and users have done what they wanted, or given up. */
    @Override
    public void close() {
        relief.close();
        users.close();
        client.close();
    }
}
