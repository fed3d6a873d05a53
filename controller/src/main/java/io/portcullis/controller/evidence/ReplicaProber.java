package io.portcullis.controller.evidence;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServerReport;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.PolicyServerSpec.Ports;
import io.portcullis.controller.evidence.EvidenceStore.Change;
import io.portcullis.controller.evidence.EvidenceStore.Source;
import io.portcullis.controller.evidence.ProbeSchedule.Topic;
import io.portcullis.controller.evidence.ReplicaProber.Fleet.Replica;
import io.portcullis.controller.queue.Reconciler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks every ready replica of a PolicyServer at intervals what it serves. One call covers all policies. Between two
 * such calls, the prober asks about single policies as soon as they change.
 */
public final class ReplicaProber implements Reconciler<String> {

    private static final Logger log = LoggerFactory.getLogger(ReplicaProber.class);
    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final double JITTER = 0.2;
    /** Retries a failed call before other components act on outdated evidence. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);

    private static final Duration OLDEST = Duration.ofSeconds(30);

    private final Fleet fleet;
    private final EvidenceStore store;
    private final Asking asking;
    private final Listener listener;
    private final ReplicaReportStore reports;
    private final RandomGenerator random;
    private final InstantSource time;
    private final Map<String, ProbeSchedule> schedules = new ConcurrentHashMap<>();
    /** Enough permits that slow replicas do not delay calls to others. */
    private final Semaphore callPermits = new Semaphore(64);

    /** The replicas to ask, and the parameters of the calls. */
    public interface Fleet {

        Optional<PolicyServer> server(String name);

        List<Replica> readyReplicas(String server);

        /**
         * The CA bundles of the webhooks that point to the server. Without such webhooks, the CA bundle of future ones.
         */
        Set<String> caBundles(String server);

        Optional<String> token(String server);

        String serviceName(String server);

        /**
         * A replica that receives traffic.
         *
         * @param address empty when the pod has no address yet
         */
        record Replica(int ordinal, String podUid, String address) {}
    }

    /** A question to a replica. */
    public sealed interface Question {

        /**
         * Asks for all policies that the replica serves.
         *
         * @param known {@link Evidence#digest} of the policies that the replica served before
         */
        record Everything(Optional<String> known) implements Question {}

        /** Asks for the served generations of these policies. */
        record Policies(Set<String> policyIds) implements Question {}
    }

    /** The client that calls one replica. */
    @FunctionalInterface
    public interface Asking {

        /**
         * Calls the replica and returns its answer. Fails after some seconds without an answer.
         *
         * @param serviceName the name that the replica's certificate must contain
         * @param caBundle base64 of PEM, as written in the webhook
         * @param token the bearer token
         * @return absent when the replica still serves exactly what is known
         * @throws IOException when there is no answer or it cannot be trusted; the message contains no secret
         */
        Optional<Evidence> ask(
                InetSocketAddress address, String serviceName, String caBundle, String token, Question question)
                throws IOException;

        /**
         * Asks a replica about its memory and its quarantine.
         *
         * @throws IOException when the replica does not answer, or is too old to support the question
         */
        default ServerReport report(InetSocketAddress address, String serviceName, String caBundle, String token)
                throws IOException {
            throw new IOException("reports are not supported");
        }
    }

    /** Receives changes of the evidence. */
    public record Listener(Consumer<String> aboutPolicyId, Consumer<String> aboutServer) {}

    /** @param random for the jitter, so that many servers are not asked at the same time */
    public ReplicaProber(
            Fleet fleet,
            EvidenceStore store,
            Asking asking,
            Listener listener,
            RandomGenerator random,
            InstantSource time) {
        this(fleet, store, asking, listener, new ReplicaReportStore(time, _ -> {}), random, time);
    }

    /** Creates a prober that also stores the replicas' reports about themselves. */
    public ReplicaProber(
            Fleet fleet,
            EvidenceStore store,
            Asking asking,
            Listener listener,
            ReplicaReportStore reports,
            RandomGenerator random,
            InstantSource time) {
        this.fleet = fleet;
        this.reports = reports;
        this.store = store;
        this.asking = asking;
        this.listener = listener;
        this.random = random;
        this.time = time;
    }

    /** Schedules a full question to all replicas of the server, because something about the server changed. */
    public void askEverything(String server) {
        schedule(server).addEverything();
    }

    /** Schedules a question about this policy, because the replica reported on it. */
    public void askAbout(String server, int replica, String policyId) {
        schedule(server).add(replica, policyId);
    }

    /**
     * Schedules questions to the replicas that have not yet reported this generation, because a webhook points to it.
     *
     * @param caBundle of the webhook
     * @return whether any replica must be asked
     */
    public boolean askUnprovedReplicas(String server, String caBundle, String policyId, long generation) {
        boolean isAnyScheduled = false;
        for (Replica replica : fleet.readyReplicas(server)) {
            var source = new Source(server, replica.podUid(), caBundle);
            if (!store.knows(source)) {
                askEverything(server);
                return true;
            }
            if (!store.serves(source, policyId, generation)) {
                askAbout(server, replica.ordinal(), policyId);
                isAnyScheduled = true;
            }
        }
        return isAnyScheduled;
    }

    private ProbeSchedule schedule(String server) {
        return schedules.computeIfAbsent(server, _ -> new ProbeSchedule());
    }

    @Override
    public Optional<Duration> reconcile(String server) throws InterruptedException {
        var found = fleet.server(server);
        if (found.isEmpty()) {
            store.retain(server, List.of());
            reports.retain(server, List.of());
            schedules.remove(server);
            return Optional.empty();
        }
        if (store.isStale(server, OLDEST)) {
            listener.aboutServer().accept(server); // this process was suspended
        }
        var schedule = schedule(server);
        var calls = calls(found.get(), server, schedule.take(time.instant(), jittered(INTERVAL)));
        if (askAll(server, calls)) {
            return Optional.of(schedule.left(time.instant()));
        }
        schedule.addEverything();
        return Optional.of(AFTER_FAILURE);
    }

    private Duration jittered(Duration time) {
        double factor = 1 - JITTER + 2 * JITTER * random.nextDouble();
        return Duration.ofMillis((long) (time.toMillis() * factor));
    }

    private record Call(Source source, String address, int port, Question question) {}

    private List<Call> calls(PolicyServer server, String name, Topic topic) {
        return switch (topic) {
            case Topic.Everything _ -> {
                var all = aboutEverything(server, name);
                store.retain(name, all.stream().map(Call::source).toList());
                reports.retain(
                        name, all.stream().map(call -> call.source().podUid()).toList());
                yield all;
            }
            case Topic.Policies policies -> aboutPolicies(server, name, policies.byReplica());
        };
    }

    private List<Call> aboutEverything(PolicyServer server, String name) {
        var bundles = fleet.caBundles(name);
        var calls = new ArrayList<Call>();
        for (Replica replica : fleet.readyReplicas(name)) {
            for (String bundle : bundles) {
                var source = new Source(name, replica.podUid(), bundle);
                calls.add(new Call(source, replica.address(), port(server), everything(source)));
            }
        }
        return calls;
    }

    private Question everything(Source source) {
        return new Question.Everything(store.digest(source));
    }

    /**
     * Asks only about the given policies if the replica has reported everything. Asks for everything if the last call
     * failed.
     */
    private List<Call> aboutPolicies(PolicyServer server, String name, Map<Integer, Set<String>> byReplica) {
        var calls = new ArrayList<Call>();
        for (Replica replica : fleet.readyReplicas(name)) {
            var policyIds = byReplica.getOrDefault(replica.ordinal(), Set.of());
            if (!policyIds.isEmpty()) {
                store.sources(name, replica.podUid())
                        .forEach(source -> calls.add(new Call(
                                source,
                                replica.address(),
                                port(server),
                                store.knows(source) ? new Question.Policies(policyIds) : everything(source))));
            }
        }
        return calls;
    }

    private static int port(PolicyServer server) {
        try {
            return server.read().ports().effectiveWebhookPort();
        } catch (FlatObject.MalformedException _) {
            return Ports.DEFAULT_WEBHOOK;
        }
    }

    private boolean askAll(String server, List<Call> calls) throws InterruptedException {
        var token = fleet.token(server);
        var answers = new ArrayList<Future<Answer>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Call call : calls) {
                answers.add(threads.submit(() -> ask(call, token)));
            }
            boolean isComplete = true;
            Set<String> policies = new HashSet<>();
            for (Future<Answer> future : answers) {
                var answer = future.get();
                isComplete &= answer.isAnswered();
                switch (answer.change()) {
                    case Change.Policies changed -> policies.addAll(changed.policyIds());
                    case Change.WholeServer _ -> listener.aboutServer().accept(server);
                }
            }
            policies.forEach(listener.aboutPolicyId());
            return isComplete;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a probe failed unexpectedly", e);
        }
    }

    private record Answer(boolean isAnswered, Change change) {}

    private Answer ask(Call call, Optional<String> token) throws InterruptedException {
        callPermits.acquire();
        try {
            var answer = new Answer(true, recordEvidence(call, evidence(call, token)));
            collectReport(call, token);
            return answer;
        } catch (IOException | RuntimeException e) { // whatever the failure, the replica has proved nothing
            return new Answer(
                    false, store.failed(call.source(), Objects.requireNonNullElse(e.getMessage(), e.toString())));
        } finally {
            callPermits.release();
        }
    }

    /**
     * Collects the replica's report. A missing report is no failure: only evidence counts, and older replicas have no
     * reports.
     */
    private void collectReport(Call call, Optional<String> token) {
        var server = call.source().policyServer();
        var podUid = call.source().podUid();
        if (!(call.question() instanceof Question.Everything) || !reports.takeTurn(server, podUid)) {
            return;
        }
        try {
            reports.put(
                    server,
                    podUid,
                    asking.report(
                            address(call),
                            fleet.serviceName(server),
                            call.source().caBundle(),
                            token.orElse("")));
        } catch (IOException e) {
            log.atDebug()
                    .addKeyValue("policy_server", server)
                    .addKeyValue("error", e.getMessage())
                    .log("replica sent no report");
        }
    }

    private static InetSocketAddress address(Call call) throws IOException {
        if (call.address().isEmpty()) {
            throw new IOException("the pod has no address");
        }
        return new InetSocketAddress(InetAddress.ofLiteral(call.address()), call.port());
    }

    private Change recordEvidence(Call call, Optional<Evidence> evidence) {
        return switch (call.question()) {
            case Question.Everything(var known)
            when evidence.isEmpty() -> store.confirmed(call.source(), known.orElseThrow());
            case Question.Everything _ -> store.recordAnswer(call.source(), evidence.orElseThrow());
            case Question.Policies(var policyIds) ->
                store.recordAnswerAbout(call.source(), policyIds, evidence.orElseThrow());
        };
    }

    private Optional<Evidence> evidence(Call call, Optional<String> token) throws IOException {
        var server = call.source().policyServer();
        var evidence = asking.ask(
                address(call),
                fleet.serviceName(server),
                call.source().caBundle(),
                token.orElseThrow(() -> new IOException(
                        "Secret " + PolicyServerNames.service(server) + " has no key " + Evidence.TOKEN_KEY)),
                call.question());
        if (evidence.isPresent()
                && !evidence.get().podUID().equals(call.source().podUid())) {
            throw new IOException("another pod answered");
        }
        return evidence;
    }
}
