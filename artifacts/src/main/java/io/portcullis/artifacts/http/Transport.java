package io.portcullis.artifacts.http;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.AddressKind;
import io.portcullis.artifacts.source.AllowedNetworks;
import io.portcullis.artifacts.source.Sources;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends HTTP requests as {@link Sources} configures: verified TLS, and for insecure hosts then unverified TLS, then
 * plain HTTP. Retries repeatable requests, follows a few redirects, and limits concurrent requests per host. Only a
 * failed connection leads to the next, weaker level; an HTTP response of any status does not. Thread-safe.
 */
public final class Transport implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Transport.class);
    private static final int MAX_ADDRESSES = 4;
    /** Policies and tenants choose hosts, so the per-host state must be bounded. */
    private static final int MAX_HOSTS = 1_000;

    private final Sources sources;
    private final HttpLimits limits;
    private final RetryPause pause;
    private final DownloadBackoff backoff = new DownloadBackoff(RandomGenerator.getDefault());
    private final Clients clients;
    private final AllowedNetworks networks;
    private final Resolver resolver;
    private final DirectConnection direct;
    private final AtomicLong openRequests = new AtomicLong();
    private final AtomicLong blockedConnections = new AtomicLong();
    private final AtomicLong largestDownload = new AtomicLong();
    private final ConcurrentMap<String, Semaphore> hostPermits = new ConcurrentHashMap<>();
    // The level that worked last for an insecure host, so that the fallback chain does not run for every request.
    private final ConcurrentMap<String, Security> workingLevels = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("artifact-body-watch").factory());

    /** Resolves the addresses of a host. */
    @FunctionalInterface
    public interface Resolver {
        List<InetAddress> resolve(String host) throws UnknownHostException;
    }

    /** @param networks the addresses that connections may use; proxies that the operator configured are exempt */
    public Transport(
            Sources sources, HttpLimits limits, RetryPause pause, AllowedNetworks networks, Resolver resolver) {
        this.sources = sources;
        this.limits = limits;
        this.pause = pause;
        this.clients = new Clients(sources, limits);
        this.networks = networks;
        this.resolver = resolver;
        this.direct = new DirectConnection(limits, timers);
    }

    public Transport(Sources sources, HttpLimits limits, AllowedNetworks networks) {
        this(sources, limits, RetryPause.SLEEP, networks, Transport::systemAddresses);
    }

    public Transport(Sources sources, HttpLimits limits, RetryPause pause) {
        this(sources, limits, pause, AllowedNetworks.EVERYTHING, Transport::systemAddresses);
    }

    public Transport(Sources sources) {
        this(sources, HttpLimits.DEFAULT, RetryPause.SLEEP);
    }

    private static List<InetAddress> systemAddresses(String host) throws UnknownHostException {
        return List.of(InetAddress.getAllByName(host));
    }

    /** Reports whether the operator accepts that third parties can read and change traffic with this host. */
    public boolean isInsecure(String host) {
        return sources.insecure().contains(host);
    }

    HttpLimits limits() {
        return limits;
    }

    /** Returns the number of open requests, from sending until the response is closed. */
    public long openRequests() {
        return openRequests.get();
    }

    /** Returns how often a host had no allowed address, since the start. */
    public long blockedConnections() {
        return blockedConnections.get();
    }

    /** Returns the size of the largest download in bytes, since the start. */
    public long largestDownload() {
        return largestDownload.get();
    }

    void downloaded(long bytes) {
        largestDownload.accumulateAndGet(bytes, Math::max);
    }

    /** Sends a request, with retries and redirects. The caller closes the response. */
    public RegistryResponse send(Request request) {
        return send(request, networks);
    }

    private RegistryResponse send(Request request, AllowedNetworks initiallyAllowed) {
        var current = request;
        var allowed = initiallyAllowed;
        var deadline = System.nanoTime() + limits.total().toNanos();
        for (int hop = 0; hop <= HttpLimits.REDIRECTS; hop++) {
            var response = sendWithRetries(new Hop(current, allowed, deadline));
            var location = response.header("Location");
            if (response.status() / 100 != 3 || location.isEmpty() || !current.followsRedirects()) {
                return response;
            }
            response.close();
            var target = target(current, response.uri(), location.get());
            if (allowed.isEverything() && !HttpOrigin.of(response.uri()).equals(HttpOrigin.of(target))) {
                allowed = AllowedNetworks.forRedirectsFrom(kindOf(response.uri()), configuredHosts());
            }
            current = current.redirectedTo(response.uri(), target);
        }
        throw new ArtifactException(Reason.UNAVAILABLE, request + ": more than " + HttpLimits.REDIRECTS + " redirects");
    }

    /**
     * Sends to a URL that the response of another host contained. Allows the same networks as for a redirect.
     *
     * @param from the URL of the request that the other host responded to
     */
    public RegistryResponse sendReferred(URI from, Request request) {
        if (!networks.isEverything()
                || HttpOrigin.of(from)
                        .host()
                        .equals(HttpOrigin.of(request.uri()).host())) {
            return send(request);
        }
        return send(request, AllowedNetworks.forRedirectsFrom(kindOf(from), configuredHosts()));
    }

    /**
     * One request to one host.
     *
     * @param deadline in the time of {@link System#nanoTime}
     */
    private record Hop(Request request, AllowedNetworks allowed, long deadline) {

        Duration remaining() {
            return Duration.ofNanos(Math.max(1_000_000, deadline - System.nanoTime()));
        }

        boolean isOver() {
            return System.nanoTime() - deadline >= 0;
        }
    }

    /** Returns the least private kind among the addresses of a host. Hosts behind a proxy count as public. */
    private AddressKind kindOf(URI uri) {
        if (isProxied(uri)) {
            return AddressKind.PUBLIC;
        }
        try {
            return resolver.resolve(bareHost(uri)).stream()
                    .map(AddressKind::of)
                    .min(Comparator.naturalOrder())
                    .orElse(AddressKind.PUBLIC);
        } catch (UnknownHostException e) {
            return AddressKind.PUBLIC;
        }
    }

    private Set<String> configuredHosts() {
        return Stream.concat(sources.insecure().stream(), sources.authorities().keySet().stream())
                .map(host -> host.replaceFirst(":[0-9]+$", "").replaceAll("[\\[\\]]", ""))
                .map(host -> host.toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }

    private boolean isProxied(URI uri) {
        return sources.proxies().proxyFor(uri).isPresent();
    }

    private static String bareHost(URI uri) {
        return uri.getHost().replaceAll("[\\[\\]]", "");
    }

    private static URI target(Request request, URI from, String location) {
        URI target;
        try {
            target = from.resolve(location);
        } catch (IllegalArgumentException e) {
            // Omit the location, because a redirect may contain a signed query.
            throw new ArtifactException(Reason.UNAVAILABLE, request + " redirects to something that is no web address");
        }
        HttpOrigin.redirectRefusal(from, target).ifPresent(why -> {
            throw new ArtifactException(Reason.UNAVAILABLE, request + " " + why);
        });
        return target;
    }

    private RegistryResponse sendWithRetries(Hop hop) {
        var request = hop.request();
        for (int attempt = 1; ; attempt++) {
            if (hop.isOver()) {
                throw new ArtifactException(
                        Reason.TIMEOUT,
                        request + ": took longer than " + limits.total().toSeconds() + " seconds in total");
            }
            try {
                var response = sendOnce(hop);
                if (attempt >= limits.attempts() || !request.isSafeToRepeat() || !isTransient(response.status())) {
                    return response;
                }
                response.close();
                pause.forDuration(backoff.after(attempt, retryAfter(response)));
            } catch (IOException e) {
                if (attempt >= limits.attempts() || !request.isSafeToRepeat() || e instanceof SSLException) {
                    throw HttpFailures.of(request, e);
                }
                pauseAfter(attempt, request);
            } catch (InterruptedException e) {
                throw HttpFailures.interrupted(request, e);
            }
        }
    }

    /** Waits for the backoff delay before the next attempt. */
    void pauseAfter(int attempt, Request request) {
        try {
            pause.forDuration(backoff.after(attempt, Duration.ZERO));
        } catch (InterruptedException e) {
            throw HttpFailures.interrupted(request, e);
        }
    }

    private static boolean isTransient(int status) {
        return switch (status) {
            case 408, 429, 500, 502, 503, 504 -> true;
            default -> false;
        };
    }

    private static Duration retryAfter(RegistryResponse response) {
        try {
            return response.header("Retry-After")
                    .map(Long::parseLong)
                    .map(Duration::ofSeconds)
                    .orElse(Duration.ZERO);
        } catch (NumberFormatException e) {
            return Duration.ZERO;
        }
    }

    private RegistryResponse sendOnce(Hop hop) throws IOException, InterruptedException {
        var request = hop.request();
        var host = hostOf(request.uri());
        if (request.uri().getScheme().equals("http")) {
            if (!isInsecure(host)) {
                throw new ArtifactException(
                        Reason.UNAVAILABLE,
                        request + ": plain HTTP is refused; list " + host + " under insecure_sources to allow it");
            }
            return exchange(hop, host, Security.PLAIN);
        }
        var known = Optional.ofNullable(workingLevels.get(host));
        var steps = known.map(List::of).orElseGet(() -> Security.allowedFor(host, sources));
        for (var step : steps) {
            try {
                var response = exchange(hop, host, step);
                recordWorkingLevel(host, step);
                return response;
            } catch (IOException e) {
                workingLevels.remove(host);
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

    private void recordWorkingLevel(String host, Security step) {
        if (isInsecure(host) && workingLevels.put(host, step) == null && step != Security.VERIFIED) {
            log.atWarn()
                    .addKeyValue("host", host)
                    .addKeyValue("scheme", step.scheme())
                    .log("talking to a host that is not authenticated");
        }
    }

    private RegistryResponse exchange(Hop hop, String host, Security security)
            throws IOException, InterruptedException {
        var request = hop.request();
        var uri = withScheme(request.uri(), security.scheme());
        if (hostPermits.size() >= MAX_HOSTS) {
            hostPermits.values().removeIf(idle -> idle.availablePermits() == limits.requestsPerHost());
        }
        var permit = hostPermits.computeIfAbsent(host, _ -> new Semaphore(limits.requestsPerHost()));
        if (!permit.tryAcquire(hop.remaining().toMillis(), TimeUnit.MILLISECONDS)) {
            throw new HttpTimeoutException("other requests to this host did not end in time");
        }
        openRequests.incrementAndGet();
        DirectConnection.Received received;
        try {
            received = hop.allowed().isEverything() || isProxied(uri)
                    ? viaClient(hop, uri, host, security)
                    : direct.exchange(
                            request,
                            uri,
                            allowedAddresses(hop, uri),
                            clients.tlsFor(host, security),
                            security == Security.VERIFIED);
        } catch (IOException | InterruptedException | RuntimeException e) {
            release(permit);
            throw e;
        }
        var body = new PacedBody(received.body(), limits.body(), hop.remaining(), timers, () -> release(permit));
        return new RegistryResponse(request, uri, received.status(), received.headers(), body);
    }

    private void release(Semaphore permit) {
        openRequests.decrementAndGet();
        permit.release();
    }

    private DirectConnection.Received viaClient(Hop hop, URI uri, String host, Security security)
            throws IOException, InterruptedException {
        var request = hop.request();
        var remaining = hop.remaining();
        var builder = HttpRequest.newBuilder(uri)
                .timeout(remaining.compareTo(limits.response()) < 0 ? remaining : limits.response())
                .method(request.method(), request.body().get());
        request.headers().forEach(builder::setHeader);
        var response = clients.clientFor(host, security).send(builder.build(), BodyHandlers.ofInputStream());
        return new DirectConnection.Received(response.statusCode(), response.headers(), response.body());
    }

    /**
     * Returns the allowed addresses of a host. Unknown and blocked hosts get the same message, because an error must
     * not reveal which names exist in a private network.
     */
    private List<InetAddress> allowedAddresses(Hop hop, URI uri) {
        var host = bareHost(uri);
        List<InetAddress> found;
        try {
            found = resolver.resolve(host);
        } catch (UnknownHostException e) {
            found = List.of();
        }
        var allowed = found.stream()
                .filter(address -> hop.allowed().allows(host, address))
                .limit(MAX_ADDRESSES)
                .toList();
        if (allowed.isEmpty()) {
            blockedConnections.incrementAndGet();
            log.atInfo()
                    .addKeyValue("host", host)
                    .addKeyValue("addresses", found.size())
                    .log("no address of this host may be connected to");
            throw new ArtifactException(
                    Reason.UNAVAILABLE,
                    hop.request() + ": unknown host, or its address may not be reached: "
                            + hop.allowed().remedy());
        }
        return allowed;
    }

    private static URI withScheme(URI uri, String scheme) {
        return URI.create(scheme + uri.toString().substring(uri.getScheme().length()));
    }

    static String hostOf(URI uri) {
        return uri.getRawAuthority();
    }

    @Override
    public void close() {
        timers.shutdownNow();
        clients.close();
    }
}
