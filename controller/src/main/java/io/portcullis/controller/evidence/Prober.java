package io.portcullis.controller.evidence;

import io.fabric8.kubernetes.api.model.Pod;
import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.PolicyServerSpec.Ports;
import io.portcullis.controller.evidence.EvidenceBook.News;
import io.portcullis.controller.evidence.EvidenceBook.Source;
import io.portcullis.controller.queue.Reconciler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** Asks every ready replica of a PolicyServer what it serves, again and again. One call tells of all policies. */
public final class Prober implements Reconciler<String> {

    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final double JITTER = 0.2;
    /** One that could not be asked is asked again before anybody draws conclusions from old words. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);

    private static final Duration OLDEST = Duration.ofSeconds(30);

    private final Fleet fleet;
    private final EvidenceBook book;
    private final ReplicaCall call;
    private final Listener listener;
    private final Semaphore calls = new Semaphore(16);

    /** Whom to ask, and how. */
    public interface Fleet {

        Optional<PolicyServer> server(String name);

        List<Pod> readyPods(String server);

        /** Of the webhooks that lead to the server; or, while there are none, of those to come. */
        Set<String> caBundles(String server);

        Optional<String> token(String server);

        String serviceName(String server);
    }

    /** Who wants to know. */
    public record Listener(Consumer<String> aboutPolicyId, Consumer<String> aboutServer) {}

    public Prober(Fleet fleet, EvidenceBook book, ReplicaCall call, Listener listener) {
        this.fleet = fleet;
        this.book = book;
        this.call = call;
        this.listener = listener;
    }

    @Override
    public Optional<Duration> reconcile(String server) throws InterruptedException {
        var found = fleet.server(server);
        if (found.isEmpty()) {
            book.retain(server, List.of());
            return Optional.empty();
        }
        if (book.isStale(server, OLDEST)) {
            listener.aboutServer().accept(server); // this process was asleep
        }
        var questions = questions(found.get(), server);
        book.retain(server, questions.stream().map(Question::source).toList());
        boolean isComplete = askAll(server, questions);
        return Optional.of(isComplete ? jittered(INTERVAL) : AFTER_FAILURE);
    }

    private static Duration jittered(Duration time) {
        double factor = 1 - JITTER + 2 * JITTER * RandomGenerator.getDefault().nextDouble();
        return Duration.ofMillis((long) (time.toMillis() * factor));
    }

    private record Question(Source source, Pod pod, int port) {}

    private List<Question> questions(PolicyServer server, String name) {
        var port = port(server);
        var questions = new ArrayList<Question>();
        for (Pod pod : fleet.readyPods(name)) {
            for (String bundle : fleet.caBundles(name)) {
                questions.add(new Question(new Source(name, pod.getMetadata().getUid(), bundle), pod, port));
            }
        }
        return questions;
    }

    private static int port(PolicyServer server) {
        try {
            return server.read().ports().effectiveWebhookPort();
        } catch (FlatObject.MalformedException _) {
            return Ports.DEFAULT_WEBHOOK;
        }
    }

    private boolean askAll(String server, List<Question> questions) throws InterruptedException {
        var token = fleet.token(server);
        var answers = new ArrayList<Future<Answer>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Question question : questions) {
                answers.add(threads.submit(() -> ask(question, token)));
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

    private Answer ask(Question question, Optional<String> token) throws InterruptedException {
        calls.acquire();
        try {
            return new Answer(true, book.heard(question.source(), evidence(question, token)));
        } catch (IOException e) {
            return new Answer(
                    false, book.failed(question.source(), Objects.requireNonNullElse(e.getMessage(), e.toString())));
        } finally {
            calls.release();
        }
    }

    private Evidence evidence(Question question, Optional<String> token) throws IOException {
        var address = question.pod().getStatus().getPodIP();
        if (address == null || address.isEmpty()) {
            throw new IOException("the pod has no address");
        }
        var server = question.source().policyServer();
        var evidence = call.ask(
                new InetSocketAddress(InetAddress.ofLiteral(address), question.port()),
                fleet.serviceName(server),
                question.source().caBundle(),
                token.orElseThrow(() -> new IOException(
                        "Secret " + PolicyServerNames.service(server) + " has no key " + Evidence.TOKEN_KEY)));
        if (!evidence.podUID().equals(question.source().podUid())) {
            throw new IOException("another pod answered");
        }
        return evidence;
    }
}
