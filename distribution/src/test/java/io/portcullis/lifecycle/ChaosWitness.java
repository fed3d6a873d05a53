package io.portcullis.lifecycle;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.PolicyServerSpec.Ports;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.controller.evidence.ReplicaCall;
import io.portcullis.controller.evidence.ReplicaProber.Question;
import io.portcullis.core.webhook.WebhookNames;
import io.portcullis.testkit.hostpods.HostPod;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;

/**
 * Watches every state of webhooks, revisions and policies, asks every replica what it serves, and complains of what must
 * never be:
 *
 * <ul>
 *   <li>a webhook that leads to a generation which a replica that gets requests does not serve;
 *   <li>Enforced=True though the webhook leads elsewhere or a replica does not serve that generation;
 *   <li>a Ready entry that is lost, or is there twice;
 *   <li>a status that contradicts itself.
 * </ul>
 */
final class ChaosWitness implements AutoCloseable {

    private static final Duration BETWEEN_QUESTIONS = Duration.ofMillis(250);
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(1);

    /** How old the evidence may be on which Enforced=True stands. */
    private static final Duration OLDEST_EVIDENCE = Duration.ofSeconds(30);

    /** For the question that is under way when it gets too old, 5 s, and for the write, on a machine with much to do. */
    private static final Duration MARGIN = Duration.ofSeconds(15);

    private static final Duration LONGEST_LIE = OLDEST_EVIDENCE.plus(MARGIN);

    /** The controller that leads renews its lease every 2 s. */
    private static final Duration OLDEST_LEASE = Duration.ofSeconds(6);

    private static final String ID_PREFIX = "kw.cap.";

    /** Where a webhook led to. */
    private record Lead(long generation, String caBundle, long version) {}

    /** A status that said Enforced=True. */
    private record Enforced(String policyId, long generation, long version) {}

    private final Stage stage;
    private final String server;
    private final int replicas;
    private final Set<String> policyIds;
    private final Controllers controllers;
    private final Chronicle chronicle;
    private final Set<String> violations = new ConcurrentSkipListSet<>();

    private final Map<String, Lead> webhooks = new ConcurrentHashMap<>();
    private final Map<String, ClusterAdmissionPolicy> policies = new ConcurrentHashMap<>();
    private final Queue<Enforced> enforced = new ConcurrentLinkedQueue<>();
    private final Map<String, Queue<Lead>> leads = new ConcurrentHashMap<>();
    /** When what Enforced=True stands for was last seen to be so. */
    private final Map<String, Long> held = new ConcurrentHashMap<>();
    /** By revision the replicas that have said something about it, for as long as it is enabled; of one watch alone. */
    private final Map<String, Set<Condition.Key>> entries = new ConcurrentHashMap<>();

    private final Set<String> retired = ConcurrentHashMap.newKeySet();

    private final String token;
    private final ReplicaCall call = new ReplicaCall(() -> new KeyManager[0]);
    private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(
            4, Thread.ofPlatform().name("witness-", 0).daemon().factory());
    private final List<SharedIndexInformer<?>> watches;
    // Of the thread that checks alone.
    private String leader = "";
    private long ledSince = System.nanoTime();

    ChaosWitness(
            Stage stage,
            String server,
            int replicas,
            List<String> policies,
            Controllers controllers,
            Chronicle chronicle) {
        this.stage = stage;
        this.server = server;
        this.replicas = replicas;
        this.policyIds = policies.stream().map(ID_PREFIX::concat).collect(Collectors.toUnmodifiableSet());
        this.controllers = controllers;
        this.chronicle = chronicle;
        var client = stage.client();
        var secret =
                client.secrets().withName(PolicyServerNames.service(server)).get();
        this.token = new String(
                Base64.getDecoder().decode(secret.getData().get(Evidence.TOKEN_KEY)), StandardCharsets.US_ASCII);
        this.watches = List.of(
                client.admissionRegistration()
                        .v1()
                        .validatingWebhookConfigurations()
                        .inform(new Webhooks()),
                client.resources(PolicyRevision.class)
                        .inNamespace(client.getNamespace())
                        .inform(new Watching<>(this::sawRevision)),
                client.resources(ClusterAdmissionPolicy.class).inform(new Watching<>(this::sawPolicy)));
        IntStream.range(0, replicas).forEach(replica -> repeat(() -> ask(replica), BETWEEN_QUESTIONS));
        repeat(this::checkEnforced, BETWEEN_CHECKS);
    }

    private void repeat(Runnable look, Duration period) {
        var _ = clock.scheduleWithFixedDelay(guarded(look), 0, period.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** A witness that falls asleep must not be taken for one who saw nothing wrong. */
    private Runnable guarded(Runnable look) {
        return () -> {
            try {
                look.run();
            } catch (KubernetesClientException e) {
                chronicle.add("the witness cannot look: " + e.getMessage());
            } catch (RuntimeException | Error e) {
                complain("the witness failed: " + e);
                throw e;
            }
        };
    }

    /** Records a violation of an invariant; once, also when it lasts. */
    void complain(String violation) {
        if (violations.add(violation)) {
            chronicle.add("VIOLATION " + violation);
        }
    }

    /** So far. */
    List<String> violations() {
        return List.copyOf(violations);
    }

    /** How often a webhook was seen to lead to a generation that it had not led to before. */
    long webhookMoves() {
        return leads.values().stream()
                .mapToLong(
                        each -> each.stream().map(Lead::generation).distinct().count() - 1)
                .sum();
    }

    // --- webhooks and replicas ---------------------------------------------------------------------------------------

    private final class Webhooks implements ResourceEventHandler<ValidatingWebhookConfiguration> {

        @Override
        public void onAdd(ValidatingWebhookConfiguration webhook) {
            saw(webhook);
        }

        @Override
        public void onUpdate(ValidatingWebhookConfiguration before, ValidatingWebhookConfiguration after) {
            saw(after);
        }

        @Override
        public void onDelete(ValidatingWebhookConfiguration webhook, boolean unknown) {
            var id = webhook.getMetadata().getName();
            if (policyIds.contains(id)) {
                chronicle.add("webhook " + id + " is gone");
                webhooks.remove(id);
            }
        }

        private void saw(ValidatingWebhookConfiguration webhook) {
            var id = webhook.getMetadata().getName();
            if (!policyIds.contains(id)) {
                return;
            }
            var config = webhook.getWebhooks().getFirst().getClientConfig();
            var path = config.getService().getPath();
            var lead = new Lead(WebhookNames.generation(path), config.getCaBundle(), version(webhook));
            chronicle.add("webhook " + id + " leads to " + path + " (" + lead.version() + ")");
            webhooks.put(id, lead);
            leads.computeIfAbsent(id, _ -> new ConcurrentLinkedQueue<>()).add(lead);
            // At once: what is wrong may be wrong for a moment only.
            IntStream.range(0, replicas).forEach(replica -> Thread.ofVirtual().start(guarded(() -> ask(replica))));
        }
    }

    /**
     * A ready replica gets requests, also when it is cut off from the API server. So every ready replica that answers must
     * serve what webhooks led to before it was asked: no generation ends sooner than 15 s after its webhook moved on.
     */
    private void ask(int replica) {
        var before = Map.copyOf(webhooks);
        var pod = stage.pods(server).stream()
                .filter(one -> one.name().endsWith("-" + replica))
                .findFirst();
        if (before.isEmpty() || pod.isEmpty()) {
            return;
        }
        boolean ready = pod.get().isReady();
        try {
            var evidence = ask(pod.get(), before.values().iterator().next().caBundle());
            evidence.policies().forEach(served -> sawHeld(serves(replica, served.id(), served.generation())));
            if (ready
                    && pod.get().isReady()
                    && evidence.podUID().equals(pod.get().uid())) {
                before.forEach((id, lead) -> checkServed(pod.get(), evidence, id, lead));
            }
        } catch (IOException _) {
            // Dead, paused, or starting: a replica that does not answer gives no wrong answers.
        }
    }

    private Evidence ask(HostPod pod, String caBundle) throws IOException {
        return call.ask(
                        new InetSocketAddress(InetAddress.ofLiteral(pod.address()), Ports.DEFAULT_WEBHOOK),
                        PolicyServerNames.service(server) + "." + stage.client().getNamespace() + ".svc",
                        caBundle,
                        token,
                        new Question.Policies(policyIds))
                .orElseThrow();
    }

    private void checkServed(HostPod pod, Evidence evidence, String id, Lead lead) {
        var served = evidence.policies().stream()
                .filter(policy -> policy.id().equals(id))
                .map(policy -> policy.generation())
                .collect(Collectors.toSet());
        if (!served.contains(lead.generation())) {
            complain(pod.name() + " is ready and serves generations " + served + " of " + id
                    + ", whose webhook leads to " + lead.generation());
        }
    }

    // --- policies ----------------------------------------------------------------------------------------------------

    private void sawPolicy(ClusterAdmissionPolicy policy) {
        var id = id(policy);
        var status = policy.getStatus();
        if (!policyIds.contains(id)) {
            return;
        }
        policies.put(id, policy);
        if (status == null) {
            return;
        }
        chronicle.add("policy " + id + " generation " + policy.getMetadata().getGeneration() + ": "
                + status.policyStatus() + ", " + status.phase() + ", observed " + status.observedGeneration()
                + ", webhook at " + status.activeGeneration() + ", "
                + status.condition(ConditionType.ACCEPTED)
                        .map(ChaosWitness::brief)
                        .orElse("")
                + status.condition(ConditionType.ENFORCED)
                        .map(ChaosWitness::brief)
                        .orElse("") + "("
                + version(policy) + ")");
        StatusRules.broken(status, replicas)
                .forEach(rule -> complain("the status of " + id + " breaks: " + rule + ": " + status));
        enforcedGeneration(policy).ifPresent(generation -> enforced.add(new Enforced(id, generation, version(policy))));
    }

    private static String brief(Condition condition) {
        return condition.type() + "=" + condition.status() + "/" + condition.reason() + " ";
    }

    private static String id(Policy policy) {
        return ID_PREFIX + policy.getMetadata().getName();
    }

    private static OptionalLong enforcedGeneration(Policy policy) {
        var status = policy.getStatus();
        return status == null
                ? OptionalLong.empty()
                : status.condition(ConditionType.ENFORCED)
                        .filter(Condition::isTrue)
                        .map(condition -> OptionalLong.of(Objects.requireNonNull(condition.observedGeneration())))
                        .orElse(OptionalLong.empty());
    }

    /** Checks Enforced=True only after a controller has led for long enough: without a leader, Enforced cannot be updated. */
    private void checkEnforced() {
        controllers.lease().ifPresent(this::sawLease);
        webhooks.forEach((id, lead) -> sawHeld(leadsTo(id, lead.generation())));
        policies.forEach((id, policy) -> enforcedGeneration(policy)
                .ifPresent(generation -> Stream.concat(
                                Stream.of(leadsTo(id, generation)),
                                IntStream.range(0, replicas).mapToObj(replica -> serves(replica, id, generation)))
                        .filter(this::isLongOver)
                        .filter(_ -> isStillEnforced(policy, generation))
                        .forEach(fact ->
                                complain(id + " is Enforced at generation " + generation + ", though for longer than "
                                        + LONGEST_LIE.toSeconds() + " s this was not so: " + fact))));
    }

    private void sawLease(Lease lease) {
        var spec = lease.getSpec();
        var holder = String.valueOf(spec.getHolderIdentity());
        boolean isFresh = spec.getRenewTime() != null
                && Duration.between(
                                        spec.getRenewTime(),
                                        ZonedDateTime.now(spec.getRenewTime().getZone()))
                                .compareTo(OLDEST_LEASE)
                        < 0;
        if (!isFresh || !holder.equals(leader)) {
            ledSince = System.nanoTime();
        }
        if (!holder.equals(leader)) {
            chronicle.add("the controllers' lease is held by " + holder);
        }
        leader = holder;
    }

    private boolean isLongOver(String fact) {
        long now = System.nanoTime();
        long seen = held.computeIfAbsent(fact, _ -> now);
        return now - Math.max(seen, ledSince) > LONGEST_LIE.toNanos();
    }

    /** The watch may be late. */
    private boolean isStillEnforced(Policy policy, long generation) {
        var live = stage.policies().get(policy.getMetadata().getName()).get();
        return live != null && enforcedGeneration(live).equals(OptionalLong.of(generation));
    }

    private void sawHeld(String fact) {
        held.put(fact, System.nanoTime());
    }

    private static String leadsTo(String id, long generation) {
        return "the webhook leads to " + id + "/" + generation;
    }

    private static String serves(int replica, String id, long generation) {
        return "replica " + replica + " serves " + id + "/" + generation;
    }

    /**
     * Of two watches either may be first, so this is looked at in the end: whenever Enforced=True was written, the webhook
     * had led there before.
     */
    void checkOrder() {
        enforced.stream()
                .filter(status -> leads.getOrDefault(status.policyId(), new ConcurrentLinkedQueue<>()).stream()
                        .noneMatch(
                                lead -> lead.generation() == status.generation() && lead.version() < status.version()))
                .forEach(status -> complain(status + " was written before its webhook led there"));
    }

    // --- revisions ---------------------------------------------------------------------------------------------------

    private void sawRevision(PolicyRevision revision) {
        var name = revision.getMetadata().getName();
        var status = revision.getStatus() == null ? PolicyRevisionStatus.EMPTY : revision.getStatus();
        var spec = revision.getSpec();
        chronicle.add("revision " + spec.policyID() + "/" + spec.policyGeneration()
                + (spec.enabled() ? " enabled" : " disabled") + (spec.active() ? " active" : "") + " "
                + status.conditions().stream()
                        .map(condition ->
                                condition.replica() + ":" + brief(condition).trim())
                        .toList()
                + " (" + version(revision) + ")");
        var keys = new HashSet<Condition.Key>();
        status.conditions().stream()
                .filter(condition -> !keys.add(condition.key()))
                .forEach(condition -> complain("revision " + name + " has two entries " + condition.key()));
        // Once disabled, replicas take back what they said; one of them may do so when it is already enabled again.
        if (!spec.enabled() || retired.contains(name)) {
            retired.add(name);
            return;
        }
        keys.removeIf(key -> !key.type().equals(ConditionType.READY.wireName()));
        var known = entries.put(name, keys);
        if (known != null && !keys.containsAll(known)) {
            complain("revision " + name + " had entries " + known + " and has now " + keys);
        }
    }

    private static long version(HasMetadata object) {
        return Long.parseLong(object.getMetadata().getResourceVersion());
    }

    @Override
    public void close() {
        watches.forEach(SharedIndexInformer::stop);
        clock.shutdownNow();
    }
}
