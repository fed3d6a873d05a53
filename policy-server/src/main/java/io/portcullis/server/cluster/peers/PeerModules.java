package io.portcullis.server.cluster.peers;

import io.portcullis.artifacts.source.Digest;
import io.portcullis.process.http.HttpConnection;
import io.portcullis.process.http.HttpMessage;
import io.portcullis.process.metrics.Counter;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.tls.TlsException;
import io.portcullis.server.cluster.modules.ModulePeers;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches modules from other ready replicas of the same PolicyServer. Size, time and the number of asked replicas are bounded. A
 * module whose digest differs is dropped. Thread-safe.
 */
public final class PeerModules implements ModulePeers {

    /** Path on the webhook port, followed by the hexadecimal digest. The request carries the evidence token. */
    public static final String PATH = "/modules/";

    private static final Logger log = LoggerFactory.getLogger(PeerModules.class);
    private static final String SHA_256 = "sha256:";
    /** More replicas would only delay the request to the registry. */
    private static final int MAX_PEERS = 3;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration TOTAL_TIMEOUT = Duration.ofSeconds(30);

    private final Supplier<List<InetSocketAddress>> peers;
    private final PeerCredentials credentials;
    private final String serviceName;
    private final Path directory;
    private final long maxBytes;
    private final Duration totalTimeout;
    private final RandomGenerator random;
    private final Family<Counter> requests;

    /**
     * Creates the client.
     *
     * @param peers the other ready replicas
     * @param serviceName the name that the certificate of each replica must contain
     * @param directory for downloads in progress
     * @param maxBytes maximum size of one module
     */
    public PeerModules(
            Supplier<List<InetSocketAddress>> peers,
            PeerCredentials credentials,
            String serviceName,
            Path directory,
            long maxBytes,
            RandomGenerator random,
            Metrics metrics) {
        this(peers, credentials, serviceName, directory, maxBytes, TOTAL_TIMEOUT, random, metrics);
    }

    PeerModules(
            Supplier<List<InetSocketAddress>> peers,
            PeerCredentials credentials,
            String serviceName,
            Path directory,
            long maxBytes,
            Duration totalTimeout,
            RandomGenerator random,
            Metrics metrics) {
        this.peers = peers;
        this.credentials = credentials;
        this.serviceName = serviceName;
        this.directory = directory;
        this.maxBytes = maxBytes;
        this.totalTimeout = totalTimeout;
        this.random = random;
        this.requests = metrics.counter(
                "kubewarden_peer_module_requests",
                "Requests to other replicas for modules, by result: fetched, absent, busy, failed, or digest-mismatch.",
                "result");
    }

    @Override
    public Optional<byte[]> fetch(String digest) {
        if (!digest.startsWith(SHA_256)) {
            return Optional.empty();
        }
        var end = System.nanoTime() + totalTimeout.toNanos();
        var order = new ArrayList<>(peers.get());
        Collections.shuffle(order, random);
        for (var peer : order.subList(0, Math.min(MAX_PEERS, order.size()))) {
            var left = Duration.ofNanos(end - System.nanoTime());
            if (!left.isPositive()) {
                break;
            }
            var wasm = fetch(peer, digest, left);
            if (wasm.isPresent()) {
                return wasm;
            }
        }
        return Optional.empty();
    }

    private Optional<byte[]> fetch(InetSocketAddress peer, String digest, Duration limit) {
        try {
            Files.createDirectories(directory);
            var file = Files.createTempFile(directory, "peer-module-", ".part");
            try {
                return read(peer, digest, download(peer, digest, file, limit), file);
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException | TlsException e) {
            requests.with("failed").increment();
            log.atWarn()
                    .addKeyValue("peer", peer)
                    .addKeyValue("digest", digest)
                    .addKeyValue("error", e.toString())
                    .log("cannot fetch a module from another replica");
            return Optional.empty();
        }
    }

    private int download(InetSocketAddress peer, String digest, Path file, Duration limit) throws IOException {
        var message = new HttpMessage(
                "GET",
                URI.create("https://" + serviceName + PATH + digest.substring(SHA_256.length())),
                Map.of("Authorization", List.of("Bearer " + credentials.token()), "Connection", List.of("close")),
                new byte[0]);
        var connect = limit.compareTo(CONNECT_TIMEOUT) < 0 ? limit : CONNECT_TIMEOUT;
        try (var connection = HttpConnection.open(
                        peer, Optional.of(new HttpConnection.Tls(credentials.tls(), serviceName)), connect);
                var out = Files.newOutputStream(file)) {
            return connection.download(message, out, maxBytes, limit);
        }
    }

    private Optional<byte[]> read(InetSocketAddress peer, String digest, int status, Path file) throws IOException {
        switch (status) {
            case HttpURLConnection.HTTP_OK -> {
                var wasm = Files.readAllBytes(file);
                if (Digest.matches(digest, wasm)) {
                    requests.with("fetched").increment();
                    log.atInfo()
                            .addKeyValue("peer", peer)
                            .addKeyValue("digest", digest)
                            .log("module fetched from another replica");
                    return Optional.of(wasm);
                }
                requests.with("digest-mismatch").increment();
                log.atWarn()
                        .addKeyValue("peer", peer)
                        .addKeyValue("digest", digest)
                        .log("another replica sent a different module; dropping it");
            }
            case HttpURLConnection.HTTP_NOT_FOUND -> requests.with("absent").increment();
            case HttpURLConnection.HTTP_UNAVAILABLE -> requests.with("busy").increment();
            default -> throw new IOException("answered with status " + status);
        }
        return Optional.empty();
    }
}
