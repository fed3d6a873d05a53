package io.portcullis.artifacts.http;

import io.portcullis.artifacts.ArtifactException;
import io.portcullis.artifacts.ArtifactException.Reason;
import io.portcullis.artifacts.source.Sources;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests the way {@link Sources} says: verified TLS, and for hosts listed as insecure then unverified TLS, then
 * plain HTTP. Repeats what may be repeated, follows a few redirects, lets only so many requests at one host. An HTTP
 * answer is an answer, whatever its status: only a connection that fails leads to the next, weaker one. Thread-safe.
 */
public final class Transport implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Transport.class);

    private final Sources sources;
    private final HttpLimits limits;
    private final Pause pause;
    private final Backoff backoff = new Backoff(RandomGenerator.getDefault());
    private final Clients clients;
    private final ConcurrentMap<String, Semaphore> places = new ConcurrentHashMap<>();
    // What worked last for an insecure host, so that the chain is not walked for every request.
    private final ConcurrentMap<String, Security> working = new ConcurrentHashMap<>();
    private final ScheduledExecutorService watches = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("artifact-body-watch").factory());

    public Transport(Sources sources, HttpLimits limits, Pause pause) {
        this.sources = sources;
        this.limits = limits;
        this.pause = pause;
        this.clients = new Clients(sources, limits);
    }

    public Transport(Sources sources) {
        this(sources, HttpLimits.DEFAULT, Pause.SLEEP);
    }

    /** Whether the operator accepts that traffic with this host may be read and changed by others. */
    public boolean isInsecure(String host) {
        return sources.insecure().contains(host);
    }

    HttpLimits limits() {
        return limits;
    }

    /** Sends until there is an answer. The caller closes it. */
    public Answer send(Request request) {
        var current = request;
        for (int hop = 0; hop <= HttpLimits.REDIRECTS; hop++) {
            var answer = sendWithRetries(current);
            var location = answer.header("Location");
            if (answer.status() / 100 != 3 || location.isEmpty() || !current.followsRedirects()) {
                return answer;
            }
            answer.close();
            current = current.redirectedTo(target(current, answer.uri(), location.get()));
        }
        throw new ArtifactException(Reason.UNAVAILABLE, request + ": more than " + HttpLimits.REDIRECTS + " redirects");
    }

    private static URI target(Request request, URI from, String location) {
        try {
            var target = from.resolve(location);
            if (target.getHost() != null && List.of("http", "https").contains(target.getScheme())) {
                return target;
            }
        } catch (IllegalArgumentException e) {
            // Not quoted: a redirect may carry a signed query.
        }
        throw new ArtifactException(Reason.UNAVAILABLE, request + " redirects to something that is no web address");
    }

    private Answer sendWithRetries(Request request) {
        for (int attempt = 1; ; attempt++) {
            try {
                var answer = sendOnce(request);
                if (attempt >= limits.attempts() || !request.isSafeToRepeat() || !isPassing(answer.status())) {
                    return answer;
                }
                answer.close();
                pause.forDuration(backoff.after(attempt, retryAfter(answer)));
            } catch (IOException e) {
                if (attempt >= limits.attempts() || !request.isSafeToRepeat() || e instanceof SSLException) {
                    throw Failures.of(request, e);
                }
                pauseAfter(attempt, request);
            } catch (InterruptedException e) {
                throw Failures.interrupted(request, e);
            }
        }
    }

    /** Waits as long as is decent before the next attempt. */
    void pauseAfter(int attempt, Request request) {
        try {
            pause.forDuration(backoff.after(attempt, Duration.ZERO));
        } catch (InterruptedException e) {
            throw Failures.interrupted(request, e);
        }
    }

    private static boolean isPassing(int status) {
        return switch (status) {
            case 408, 429, 500, 502, 503, 504 -> true;
            default -> false;
        };
    }

    private static Duration retryAfter(Answer answer) {
        try {
            return answer.header("Retry-After")
                    .map(Long::parseLong)
                    .map(Duration::ofSeconds)
                    .orElse(Duration.ZERO);
        } catch (NumberFormatException e) {
            return Duration.ZERO;
        }
    }

    private Answer sendOnce(Request request) throws IOException, InterruptedException {
        var host = hostOf(request.uri());
        if (request.uri().getScheme().equals("http")) {
            if (!isInsecure(host)) {
                throw new ArtifactException(
                        Reason.UNAVAILABLE,
                        request + ": plain HTTP is refused; list " + host + " under insecure_sources to allow it");
            }
            return exchange(request, host, Security.PLAIN);
        }
        var known = Optional.ofNullable(working.get(host));
        var steps = known.map(List::of).orElseGet(() -> Security.allowedFor(host, sources));
        for (var step : steps) {
            try {
                var answer = exchange(request, host, step);
                remember(host, step);
                return answer;
            } catch (IOException e) {
                working.remove(host);
                if (step == steps.getLast()) {
                    throw e;
                }
                log.atDebug()
                        .addKeyValue("host", host)
                        .addKeyValue("error", e.toString())
                        .log("connection failed, trying a weaker one");
            }
        }
        throw new IllegalStateException("there is always a step");
    }

    private void remember(String host, Security step) {
        if (working.put(host, step) == null && step != Security.VERIFIED) {
            log.atWarn()
                    .addKeyValue("host", host)
                    .addKeyValue("scheme", step.scheme())
                    .log("talking to a host that is not authenticated");
        }
    }

    private Answer exchange(Request request, String host, Security security) throws IOException, InterruptedException {
        var uri = withScheme(request.uri(), security.scheme());
        var builder = HttpRequest.newBuilder(uri)
                .timeout(limits.answer())
                .method(request.method(), request.body().get());
        request.headers().forEach(builder::setHeader);
        var place = places.computeIfAbsent(host, _ -> new Semaphore(limits.requestsPerHost()));
        place.acquire();
        HttpResponse<InputStream> response;
        try {
            response = clients.clientFor(host, security).send(builder.build(), BodyHandlers.ofInputStream());
        } catch (IOException | InterruptedException | RuntimeException e) {
            place.release();
            throw e;
        }
        var body = new PacedBody(response.body(), limits.body(), watches, place::release);
        return new Answer(request, uri, response.statusCode(), response.headers(), body);
    }

    private static URI withScheme(URI uri, String scheme) {
        return URI.create(scheme + uri.toString().substring(uri.getScheme().length()));
    }

    static String hostOf(URI uri) {
        return uri.getRawAuthority();
    }

    @Override
    public void close() {
        watches.shutdownNow();
        clients.close();
    }
}
