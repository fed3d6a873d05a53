package io.portcullis.lifecycle;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.revision.PolicyRevision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Looks at every state of every policy and revision that a watch brings, and several times a second at what webhooks
 * lead to, and writes down whatever must never be.
 */
final class Witness implements AutoCloseable {

    private static final Duration PERIOD = Duration.ofMillis(250);
    /** How long a status may lag behind the truth. */
    private static final Duration LAG = Duration.ofSeconds(30);

    private final KubernetesClient client;
    private final List<String> policies;
    private final ReplicaQuestions replicas;
    private final BooleanSupplier controllerUndisturbed;
    private final List<SharedIndexInformer<?>> watches;
    private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger states = new AtomicInteger();
    private final Map<String, Long> untrueSince = new ConcurrentHashMap<>();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("witness").daemon().factory());

    /** @param controllerUndisturbed whether nothing is being done to the controller, so that it can keep its promises */
    Witness(
            KubernetesClient client,
            String namespace,
            List<String> policies,
            ReplicaQuestions replicas,
            BooleanSupplier controllerUndisturbed) {
        this.client = client;
        this.policies = policies;
        this.replicas = replicas;
        this.controllerUndisturbed = controllerUndisturbed;
        this.watches = List.of(
                client.resources(ClusterAdmissionPolicy.class).inform(new Watching<>(this::look)),
                client.resources(PolicyRevision.class).inNamespace(namespace).inform(new Comparing()));
        var _ = clock.scheduleWithFixedDelay(this::lookAtWebhooks, 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
    }

    List<String> violations() {
        return List.copyOf(violations);
    }

    /** How much was seen, so that a test can tell that something was. */
    String seen() {
        return states + " states of objects, " + looks + " looks at webhooks and replicas";
    }

    int looks() {
        return looks.get();
    }

    private void require(boolean holds, String what, Object shown) {
        if (!holds) {
            violations.add(what + ": " + shown);
        }
    }

    private void look(ClusterAdmissionPolicy policy) {
        var status = policy.getStatus();
        if (status == null || !policies.contains(policy.getMetadata().getName())) {
            return;
        }
        states.incrementAndGet();
        boolean active = status.policyStatus() == PolicyState.ACTIVE;
        boolean three = isTrue(status, ConditionType.POLICY_ACTIVE)
                && isTrue(status, ConditionType.POLICY_SERVER_CONFIGURATION_UP_TO_DATE)
                && isTrue(status, ConditionType.POLICY_UNIQUELY_REACHABLE);
        require((status.phase() == Phase.ACTIVE) == active, "phase Active ⇔ policyStatus active", status);
        require(active == three, "active ⇔ all three legacy conditions", status);
        require(!isTrue(status, ConditionType.ENFORCED) || active, "Enforced ⇒ active", status);
        require(
                status.activeGeneration() > 0 || !isTrue(status, ConditionType.POLICY_ACTIVE),
                "no webhook ⇒ not PolicyActive",
                status);
        require(
                active || !isTrue(status, ConditionType.ACCEPTED) || status.phase() != Phase.ACTIVE,
                "only what is active is Active",
                status);
        require(areUnique(status.conditions()), "one entry per type, generation and replica", status);
    }

    private static boolean isTrue(PolicyStatus status, ConditionType type) {
        return status.condition(type).filter(Condition::isTrue).isPresent();
    }

    private static boolean areUnique(List<Condition> conditions) {
        return conditions.stream().map(Condition::key).distinct().count() == conditions.size();
    }

    /** Two states of a revision, one after the other. */
    private final class Comparing implements ResourceEventHandler<PolicyRevision> {

        @Override
        public void onAdd(PolicyRevision added) {
            states.incrementAndGet();
        }

        @Override
        public void onUpdate(PolicyRevision before, PolicyRevision after) {
            states.incrementAndGet();
            var was = before.getStatus();
            var is = after.getStatus();
            if (was == null || is == null || !after.getSpec().enabled()) {
                return;
            }
            var shown = after.getMetadata().getName() + "\n  was " + was + "\n  is  " + is;
            var now = is.conditions().stream().map(Condition::key).collect(Collectors.toSet());
            require(
                    was.conditions().stream()
                            .filter(condition -> condition.type().equals(ConditionType.READY.wireName()))
                            .map(Condition::key)
                            .allMatch(now::contains),
                    "no Ready entry of an enabled revision is lost",
                    shown);
            require(areUnique(is.conditions()), "one entry per type, generation and replica", shown);
            if (was.leader() != null && is.leader() != null) {
                require(is.leader().term() >= was.leader().term(), "terms only grow", shown);
            }
            require(
                    after.getSpec().dataHash().equals(before.getSpec().dataHash()),
                    "the content of a revision never changes",
                    shown);
        }

        @Override
        public void onDelete(PolicyRevision gone, boolean unknown) {}
    }

    private void lookAtWebhooks() {
        try {
            policies.forEach(this::lookAtWebhook);
            looks.incrementAndGet();
        } catch (KubernetesClientException e) {
            // Saw nothing this time; how often it saw something is asserted.
        } catch (RuntimeException e) {
            violations.add("cannot look: " + e);
        }
    }

    private void lookAtWebhook(String policy) {
        var webhook = webhook(policy);
        if (webhook.isEmpty()) {
            return;
        }
        var without = replicas.readyWithout(path(webhook.get()));
        var again = webhook(policy);
        var moved = again.isEmpty() || !path(again.get()).equals(path(webhook.get()));
        require(moved || without.isEmpty(), "a webhook leads to what a ready replica cannot serve", without);
        lookAtEnforced(policy, path(webhook.get()), moved);
    }

    /** Enforced that is not true must be taken back in time, if the controller is left alone to do so. */
    private void lookAtEnforced(String name, String path, boolean moved) {
        var policy =
                client.resources(ClusterAdmissionPolicy.class).withName(name).get();
        var untrue = policy != null
                && policy.getStatus() != null
                && isTrue(policy.getStatus(), ConditionType.ENFORCED)
                && policy.getMetadata()
                        .getGeneration()
                        .equals(policy.getStatus().observedGeneration())
                && (!path.endsWith("/" + policy.getMetadata().getGeneration())
                        || !replicas.readyWithout(path).isEmpty());
        if (!untrue || moved || !controllerUndisturbed.getAsBoolean()) {
            untrueSince.remove(name);
            return;
        }
        var since = untrueSince.computeIfAbsent(name, _ -> System.nanoTime());
        require(
                System.nanoTime() - since < LAG.toNanos(),
                "Enforced is not true and was not taken back within " + LAG.toSeconds() + " s",
                Stage.status(policy));
    }

    private Optional<ValidatingWebhookConfiguration> webhook(String policy) {
        return Optional.ofNullable(client.admissionRegistration()
                .v1()
                .validatingWebhookConfigurations()
                .withName("kw.cap." + policy)
                .get());
    }

    private static String path(ValidatingWebhookConfiguration webhook) {
        return Objects.requireNonNull(
                webhook.getWebhooks().getFirst().getClientConfig().getService().getPath());
    }

    @Override
    public void close() {
        clock.shutdownNow();
        new ArrayList<>(watches).forEach(SharedIndexInformer::close);
    }
}
