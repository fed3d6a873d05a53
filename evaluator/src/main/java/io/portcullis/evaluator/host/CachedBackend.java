package io.portcullis.evaluator.host;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.evaluator.host.HostRequest.CryptoIsCertificateTrusted;
import io.portcullis.evaluator.host.HostRequest.DNSLookupHost;
import io.portcullis.evaluator.host.HostRequest.KubernetesCanI;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResource;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResourcePluralName;
import io.portcullis.evaluator.host.HostRequest.KubernetesListResourceAll;
import io.portcullis.evaluator.host.HostRequest.KubernetesListResourceNamespace;
import io.portcullis.evaluator.host.HostRequest.Oci;
import io.portcullis.evaluator.host.HostRequest.Verify;
import io.portcullis.wasm.Deadline;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/**
 * Caches answers for a time that depends on the type of request. Concurrent requests for the same missing entry cause
 * one fetch. No guest waits longer than its deadline. The cache is bounded in entries and bytes. Failures are cached
 * for one second, so that not every request contacts a broken registry.
 */
public final class CachedBackend implements HostBackend {

    private static final Duration OCI_TTL = Duration.ofSeconds(60);
    private static final Duration KUBERNETES_TTL = Duration.ofSeconds(5);
    private static final Duration FAILURE_TTL = Duration.ofSeconds(1);
    private static final int MAX_ENTRIES = 1_000;
    private static final long MAX_BYTES = 32L << 20;

    private final HostBackend origin;
    private final HostCallObserver observer;
    private final SingleFlight<HostRequest> flights = new SingleFlight<>();
    private final ExpiringCache<HostRequest> cache;

    public CachedBackend(HostBackend origin, InstantSource clock, HostCallObserver observer) {
        this.origin = origin;
        this.observer = observer;
        this.cache = new ExpiringCache<>(clock, MAX_ENTRIES, MAX_BYTES);
    }

    @Override
    public byte[] answer(HostRequest request, Deadline deadline) {
        return switch (request) {
            case Oci _, Verify _ -> cached(request, OCI_TTL, deadline);
            case KubernetesGetResource get ->
                get.disableCache()
                        ? fetchUncached(get, deadline)
                        : masked(get, cached(unmasked(get), KUBERNETES_TTL, deadline));
            case KubernetesCanI canI ->
                canI.disableCache() ? fetchUncached(canI, deadline) : cached(canI, KUBERNETES_TTL, deadline);
            case DNSLookupHost _ -> fetchUncached(request, deadline);
            // The origin answers these from memory and never blocks beyond the deadline.
            case KubernetesListResourceAll _,
                    KubernetesListResourceNamespace _,
                    KubernetesGetResourcePluralName _,
                    CryptoIsCertificateTrusted _ -> origin.answer(request, deadline);
        };
    }

    private byte[] cached(HostRequest request, Duration lifetime, Deadline deadline) {
        var cachedResult = cache.get(request);
        observer.cacheLookup(request.getClass().getSimpleName(), cachedResult.isPresent());
        var result = cachedResult.orElseGet(() -> flights.join(request, deadline, limit -> {
            var fresh = HostResult.of(() -> origin.answer(request, limit));
            cache.put(request, fresh, fresh instanceof HostResult.Success ? lifetime : FAILURE_TTL);
            return fresh;
        }));
        return result.orThrow();
    }

    private byte[] fetchUncached(HostRequest request, Deadline deadline) {
        return flights.alone(deadline, limit -> HostResult.of(() -> origin.answer(request, limit)))
                .orThrow();
    }

    /**
     * Removes the field masks. They are applied after the lookup, so that policies with different masks share one cache
     * entry.
     */
    private static KubernetesGetResource unmasked(KubernetesGetResource get) {
        return new KubernetesGetResource(get.apiVersion(), get.kind(), get.name(), get.namespace(), false, null);
    }

    private static byte[] masked(KubernetesGetResource get, byte[] object) {
        List<String> masks = get.fieldMasks();
        if (masks == null || masks.isEmpty()) {
            return object;
        }
        var tree = HostJson.read(object, ObjectNode.class);
        return HostJson.write(FieldMasks.of(masks).apply(tree));
    }
}
