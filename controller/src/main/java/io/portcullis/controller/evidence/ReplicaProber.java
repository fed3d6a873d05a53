package io.portcullis.controller.evidence;

import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.evidence.ServerReport;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.PolicyServerSpec.Ports;
import io.portcullis.controller.evidence.EvidenceStore.News;
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
 * Asks every ready replica of a PolicyServer what it serves, again and again. One call tells of all policies; between two of
 * them a replica is asked about single policies as soon as there is news of them.
 */
public final class ReplicaProber implements Reconciler<String> {

    private static final Logger log = LoggerFactory.getLogger(ReplicaProber.class);
    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final double JITTER = 0.2;
    /** One that could not be asked is asked again before anybody draws conclusions from old words. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);

    private static final Duration OLDEST = Duration.ofSeconds(30);

    private final Fleet fleet;
    private final EvidenceStore book;
    private final Asking asking;
    private final Listener listener;
    private final ReplicaReportStore reports;
    private final RandomGenerator random;
    private final InstantSource time;
    private final Map<String, ProbeSchedule> agendas = new ConcurrentHashMap<>();
    /** So many that replicas which let us wait do not hold up others. */
    private final Semaphore atOnce = new Semaphore(64);

    /** Whom to ask, and how. */
    public interface Fleet {

        Optional<PolicyServer> server(String name);

        List<Replica> readyReplicas(String server);

        /** Of the webhooks that lead to the server; or, while there are none, of those to come. */
        Set<String> caBundles(String server);

        Optional<String> token(String server);

        String serviceName(String server);

        /**
         * One that gets traffic.
         *
         * @param address empty when nobody knows it
         */
        record Replica(int ordinal, String podUid, String address) {}
    }

    /** What a replica is asked. */
    public sealed interface Question {

        /**
         * All that it serves.
         *
         * @param known {@link Evidence#digest} of what it is believed to serve
         */
        record Everything(Optional<String> known) implements Question {}

        /** What it serves of these. */
        record Policies(Set<String> policyIds) implements Question {}
    }

    /** How one replica is asked. */
    @FunctionalInterface
    public interface Asking {

        /**
         * The replica's answer, or the lack of one within seconds.
         *
         * @param serviceName the name that its certificate must bear
         * @param caBundle base64 of PEM, as it stands in the webhook
         * @param token who may ask
         * @return absent when it serves exactly what is known
         * @throws IOException when it cannot be had or is not to be trusted; the message holds no secret
         */
        Optional<Evidence> ask(
                InetSocketAddress address, String serviceName, String caBundle, String token, Question question)
                throws IOException;

        /**
         * Asks a replica about its memory and its quarantine.
         *
         * @throws IOException when the replica does not answer, or is too old to know the question
         */
        default ServerReport report(InetSocketAddress address, String serviceName, String caBundle, String token)
                throws IOException {
            throw new IOException("no reports here");
        }
    }

    /** Who wants to know. */
    public record Listener(Consumer<String> aboutPolicyId, Consumer<String> aboutServer) {}

    /** @param random for the jitter, so that many servers are not asked at the same moment */
    public ReplicaProber(
            Fleet fleet,
            EvidenceStore book,
            Asking asking,
            Listener listener,
            RandomGenerator random,
            InstantSource time) {
        this(fleet, book, asking, listener, new ReplicaReportStore(time, _ -> {}), random, time);
    }

    /** The same, and stores what replicas report about themselves. */
    public ReplicaProber(
            Fleet fleet,
            EvidenceStore book,
            Asking asking,
            Listener listener,
            ReplicaReportStore reports,
            RandomGenerator random,
            InstantSource time) {
        this.fleet = fleet;
        this.reports = reports;
        this.book = book;
        this.asking = asking;
        this.listener = listener;
        this.random = random;
        this.time = time;
    }

    /** Something about the server is new: all its replicas are to be asked about everything. */
    public void askEverything(String server) {
        agenda(server).addEverything();
    }

    /** A replica reported on this policy: it is to be asked about that. */
    public void askAbout(String server, int replica, String policyId) {
        agenda(server).add(replica, policyId);
    }

    /**
     * A webhook leads to this generation: those are to be asked who have not said yet that they serve it.
     *
     * @param caBundle of the webhook
     * @return whether there is somebody to ask
     */
    public boolean askWhoIsUnproved(String server, String caBundle, String policyId, long generation) {
        boolean isNews = false;
        for (Replica replica : fleet.readyReplicas(server)) {
            var source = new Source(server, replica.podUid(), caBundle);
            if (!book.knows(source)) {
                askEverything(server);
                return true;
            }
            if (!book.serves(source, policyId, generation)) {
                askAbout(server, replica.ordinal(), policyId);
                isNews = true;
            }
        }
        return isNews;
    }

    private ProbeSchedule agenda(String server) {
        return agendas.computeIfAbsent(server, _ -> new ProbeSchedule());
    }

    @Override
    public Optional<Duration> reconcile(String server) throws InterruptedException {
        var found = fleet.server(server);
        if (found.isEmpty()) {
            book.retain(server, List.of());
            reports.retain(server, List.of());
            agendas.remove(server);
            return Optional.empty();
        }
        if (book.isStale(server, OLDEST)) {
            listener.aboutServer().accept(server); // this process was asleep
        }
        var agenda = agenda(server);
        var calls = calls(found.get(), server, agenda.take(time.instant(), jittered(INTERVAL)));
        if (askAll(server, calls)) {
            return Optional.of(agenda.left(time.instant()));
        }
        agenda.addEverything();
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
                book.retain(name, all.stream().map(Call::source).toList());
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
        return new Question.Everything(book.digest(source));
    }

    /** Whoever has told of everything is asked for what is new; one that could not be asked lately, for everything. */
    private List<Call> aboutPolicies(PolicyServer server, String name, Map<Integer, Set<String>> byReplica) {
        var calls = new ArrayList<Call>();
        for (Replica replica : fleet.readyReplicas(name)) {
            var policyIds = byReplica.getOrDefault(replica.ordinal(), Set.of());
            if (!policyIds.isEmpty()) {
                book.sources(name, replica.podUid())
                        .forEach(source -> calls.add(new Call(
                                source,
                                replica.address(),
                                port(server),
                                book.knows(source) ? new Question.Policies(policyIds) : everything(source))));
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
                isComplete &= answer.isHeard();
                switch (answer.news()) {
                    case News.About about -> policies.addAll(about.policyIds());
                    case News.AboutAll _ -> listener.aboutServer().accept(server);
                }
            }
            policies.forEach(listener.aboutPolicyId());
            return isComplete;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a probe ended unexpectedly", e);
        }
    }

    private record Answer(boolean isHeard, News news) {}

    private Answer ask(Call call, Optional<String> token) throws InterruptedException {
        atOnce.acquire();
        try {
            var answer = new Answer(true, news(call, evidence(call, token)));
            collectReport(call, token);
            return answer;
        } catch (IOException | RuntimeException e) { // whatever it is, nobody has proved anything
            return new Answer(
                    false, book.failed(call.source(), Objects.requireNonNullElse(e.getMessage(), e.toString())));
        } finally {
            atOnce.release();
        }
    }

    /** A replica that does not report is no failure: evidence is what counts, and older replicas have no reports. */
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
                    .log("replica does not report on itself");
        }
    }

    private static InetSocketAddress address(Call call) throws IOException {
        if (call.address().isEmpty()) {
            throw new IOException("the pod has no address");
        }
        return new InetSocketAddress(InetAddress.ofLiteral(call.address()), call.port());
    }

    private News news(Call call, Optional<Evidence> evidence) {
        return switch (call.question()) {
            case Question.Everything(var known)
            when evidence.isEmpty() -> book.confirmed(call.source(), known.orElseThrow());
            case Question.Everything _ -> book.heard(call.source(), evidence.orElseThrow());
            case Question.Policies(var policyIds) -> book.heardAbout(call.source(), policyIds, evidence.orElseThrow());
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
