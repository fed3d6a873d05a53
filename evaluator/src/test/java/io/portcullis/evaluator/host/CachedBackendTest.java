package io.portcullis.evaluator.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.evaluator.host.HostRequest.DNSLookupHost;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResource;
import io.portcullis.evaluator.host.HostRequest.OciManifestDigest;
import io.portcullis.wasm.Deadline;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class CachedBackendTest {

    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);

    private CachedBackend caching(HostBackend origin) {
        return new CachedBackend(origin, now::get, HostCallObserver.none());
    }

    private CachedBackend counting() {
        return caching((request, _) -> {
            int n = calls.incrementAndGet();
            return ("{\"apiVersion\":\"v1\",\"n\":" + n + ",\"spec\":{\"a\":1,\"b\":2}}")
                    .getBytes(StandardCharsets.UTF_8);
        });
    }

    @Test
    void cachesAnImageForAMinute() {
        var backend = counting();
        var request = new OciManifestDigest("image");

        var first = backend.answer(request, Deadline.NONE);
        now.set(Instant.EPOCH.plusSeconds(59));
        var second = backend.answer(request, Deadline.NONE);
        now.set(Instant.EPOCH.plusSeconds(60));
        backend.answer(request, Deadline.NONE);

        assertThat(second).isSameAs(first);
        assertThat(calls).hasValue(2);
    }

    @Test
    void fetchesAgainAfterTheWallClockMovedByAnHour() {
        var backend = counting();
        var request = new KubernetesGetResource("v1", "Namespace", "n", null, false, null);

        backend.answer(request, Deadline.NONE);
        now.set(Instant.EPOCH.minus(Duration.ofHours(1)));
        backend.answer(request, Deadline.NONE);
        backend.answer(request, Deadline.NONE);
        assertThat(calls).as("no answer from before the step").hasValue(2);

        now.set(Instant.EPOCH);
        backend.answer(request, Deadline.NONE);
        assertThat(calls).hasValue(3);
    }

    @Test
    void cachesAFailureForOneSecond() {
        var backend = caching((_, _) -> {
            calls.incrementAndGet();
            throw new HostCallException("down");
        });
        var request = new OciManifestDigest("image");

        assertThatThrownBy(() -> backend.answer(request, Deadline.NONE)).hasMessage("down");
        assertThatThrownBy(() -> backend.answer(request, Deadline.NONE)).hasMessage("down");
        assertThat(calls).hasValue(1);

        now.set(Instant.EPOCH.plusSeconds(1));
        assertThatThrownBy(() -> backend.answer(request, Deadline.NONE)).hasMessage("down");
        assertThat(calls).hasValue(2);
    }

    @Test
    void fetchesAgainWhenThePolicyDisablesTheCache() {
        var backend = counting();
        var request = new KubernetesGetResource("v1", "Namespace", "n", null, true, null);

        backend.answer(request, Deadline.NONE);
        backend.answer(request, Deadline.NONE);

        assertThat(calls).hasValue(2);
    }

    @Test
    void policiesWithDifferentMasksShareOneCacheEntry() {
        var backend = counting();

        var a = backend.answer(
                new KubernetesGetResource("v1", "Namespace", "n", null, false, List.of("spec.a")), Deadline.NONE);
        var b = backend.answer(
                new KubernetesGetResource("v1", "Namespace", "n", null, false, List.of("spec.b")), Deadline.NONE);

        assertThat(new String(a, StandardCharsets.UTF_8)).isEqualTo("{\"apiVersion\":\"v1\",\"spec\":{\"a\":1}}");
        assertThat(new String(b, StandardCharsets.UTF_8)).isEqualTo("{\"apiVersion\":\"v1\",\"spec\":{\"b\":2}}");
        assertThat(calls).hasValue(1);
    }

    @Test
    void neverCachesDnsLookups() {
        var backend = counting();

        backend.answer(new DNSLookupHost("h"), Deadline.NONE);
        backend.answer(new DNSLookupHost("h"), Deadline.NONE);

        assertThat(calls).hasValue(2);
    }

    @Test
    void fetchesOnceForConcurrentRequests() throws Exception {
        var gate = new CountDownLatch(1);
        var started = new CountDownLatch(1);
        var backend = caching((_, _) -> {
            calls.incrementAndGet();
            started.countDown();
            awaitQuietly(gate);
            return new byte[] {1};
        });
        var request = new OciManifestDigest("image");

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = threads.submit(() -> backend.answer(request, Deadline.NONE));
            started.await();
            var otherCalls = List.of(
                    threads.submit(() -> backend.answer(request, Deadline.NONE)),
                    threads.submit(() -> backend.answer(request, Deadline.NONE)));
            gate.countDown();

            for (var other : otherCalls) {
                assertThat(other.get()).isSameAs(first.get());
            }
        }
        assertThat(calls).hasValue(1);
    }

    @Test
    void slowKeyDoesNotDelayOtherKeys() {
        var gate = new CountDownLatch(1);
        var backend = caching((request, _) -> {
            if (request.equals(new OciManifestDigest("slow"))) {
                awaitQuietly(gate);
            }
            return new byte[0];
        });

        assertThatThrownBy(() -> backend.answer(new OciManifestDigest("slow"), Deadline.after(Duration.ofMillis(20))))
                .hasMessageContaining("host call timed out");
        assertThat(backend.answer(new OciManifestDigest("quick"), Deadline.NONE))
                .isEmpty();
        gate.countDown();
    }

    @Test
    void evictsEntriesBeyondTheLimit() {
        var cache = new ExpiringCache<Integer>(now::get, 3, 1_000);

        for (int i = 0; i < 10; i++) {
            cache.put(i, new HostResult.Failure("" + i), Duration.ofSeconds(1));
        }

        assertThat(cache.get(6)).isEmpty();
        assertThat(cache.get(7)).contains(new HostResult.Failure("7"));
        assertThat(cache.get(9)).isPresent();
    }

    @Test
    void evictsEntriesBeyondTheByteLimit() {
        var cache = new ExpiringCache<String>(now::get, 100, 10);
        cache.put("a", new HostResult.Success(new byte[4]), Duration.ofSeconds(1));
        cache.put("b", new HostResult.Success(new byte[4]), Duration.ofSeconds(1));
        cache.put("b", new HostResult.Success(new byte[6]), Duration.ofSeconds(1));

        assertThat(cache.get("a")).isPresent();
        assertThat(cache.get("b")).isPresent();

        cache.put("c", new HostResult.Success(new byte[1]), Duration.ofSeconds(1));
        cache.put("large", new HostResult.Success(new byte[11]), Duration.ofSeconds(1));

        assertThat(cache.get("a")).isEmpty();
        assertThat(cache.get("b")).isPresent();
        assertThat(cache.get("c")).isPresent();
        assertThat(cache.get("large")).isEmpty();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
