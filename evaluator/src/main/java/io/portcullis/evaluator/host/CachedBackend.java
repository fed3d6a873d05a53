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
 * Remembers answers for as long as each kind of request allows, fetches each missing one once however many guests ask,
 * and lets no guest wait longer than its deadline. Bounded in entries and bytes; a failure is remembered for one second, so that
 * a broken registry is not asked again by every request.
 */
public final class CachedBackend implements HostBackend {

    private static final Duration OCI = Duration.ofSeconds(60);
    private static final Duration KUBERNETES = Duration.ofSeconds(5);
    private static final Duration FAILURE = Duration.ofSeconds(1);
    private static final int ENTRIES = 1_000;
    private static final long BYTES = 32L << 20;

    private final HostBackend origin;
    private final HostCallObserver observer;
    private final SingleFlight<HostRequest> flights = new SingleFlight<>();
    private final ExpiringCache<HostRequest> cache;

    public CachedBackend(HostBackend origin, InstantSource clock, HostCallObserver observer) {
        this.origin = origin;
        this.observer = observer;
        this.cache = new ExpiringCache<>(clock, ENTRIES, BYTES);
    }

    @Override
    public byte[] answer(HostRequest request, Deadline deadline) {
        return switch (request) {
            case Oci _, Verify _ -> cached(request, OCI, deadline);
            case KubernetesGetResource get ->
                get.disableCache() ? fetched(get, deadline) : masked(get, cached(unmasked(get), KUBERNETES, deadline));
            case KubernetesCanI canI ->
                canI.disableCache() ? fetched(canI, deadline) : cached(canI, KUBERNETES, deadline);
            case DNSLookupHost _ -> fetched(request, deadline);
            // Served from memory by whoever answers, and never blocking beyond the deadline.
            case KubernetesListResourceAll _,
                    KubernetesListResourceNamespace _,
                    KubernetesGetResourcePluralName _,
                    CryptoIsCertificateTrusted _ -> origin.answer(request, deadline);
        };
    }

    private byte[] cached(HostRequest request, Duration lifetime, Deadline deadline) {
        var known = cache.get(request);
        observer.cacheAsked(request.getClass().getSimpleName(), known.isPresent());
        var result = known.orElseGet(() -> flights.join(request, deadline, limit -> {
            var fresh = HostResult.of(() -> origin.answer(request, limit));
            cache.put(request, fresh, fresh instanceof HostResult.Success ? lifetime : FAILURE);
            return fresh;
        }));
        return result.orThrow();
    }

    private byte[] fetched(HostRequest request, Deadline deadline) {
        return flights.alone(deadline, limit -> HostResult.of(() -> origin.answer(request, limit)))
                .orThrow();
    }

    /** Masks are applied after the lookup, so that policies with different masks share one object. */
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
