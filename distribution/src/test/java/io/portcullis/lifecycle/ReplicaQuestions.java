package io.portcullis.lifecycle;

import io.portcullis.testkit.hostpods.HostPod;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Asks replicas themselves, not what is written about them.
 *
 * @param apiPort where they answer webhooks
 * @param probePort where they say that they are ready
 */
record ReplicaQuestions(HttpClient http, Supplier<List<HostPod>> pods, int apiPort, int probePort) {

    private static final Duration LIMIT = Duration.ofMillis(500);

    static ReplicaQuestions to(Supplier<List<HostPod>> pods, int apiPort, int probePort) {
        return new ReplicaQuestions(
                HttpClient.newBuilder()
                        .sslContext(trustingEverybody())
                        .connectTimeout(LIMIT)
                        .version(HttpClient.Version.HTTP_1_1)
                        .build(),
                pods,
                apiPort,
                probePort);
    }

    /** Replicas that are ready, before and after, and yet do not know a path. One that does not answer is not asked. */
    List<String> readyWithout(String path) {
        return pods.get().stream()
                .filter(pod -> {
                    var process = pod.restarts();
                    return isReady(pod) && isUnknown(pod, path) && isReady(pod) && pod.restarts() == process;
                })
                .map(pod -> pod.name() + " without " + path)
                .toList();
    }

    private boolean isReady(HostPod pod) {
        var uri = URI.create("http://" + pod.address() + ":" + probePort + "/readiness");
        return status(HttpRequest.newBuilder(uri)).orElse(0) == 200;
    }

    private boolean isUnknown(HostPod pod, String path) {
        var uri = URI.create("https://" + pod.address() + ":" + apiPort + path);
        return status(HttpRequest.newBuilder(uri)
                                .header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString("{}")))
                        .orElse(0)
                == 404;
    }

    private OptionalInt status(HttpRequest.Builder request) {
        try {
            return OptionalInt.of(http.send(request.timeout(LIMIT).build(), BodyHandlers.discarding())
                    .statusCode());
        } catch (IOException e) {
            return OptionalInt.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return OptionalInt.empty();
        }
    }

    private static SSLContext trustingEverybody() {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Trusting()}, new SecureRandom());
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Who answers is known by address here; certificates are the business of other tests. */
    private static final class Trusting extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
