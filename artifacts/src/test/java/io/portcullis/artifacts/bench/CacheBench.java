package io.portcullis.artifacts.bench;

import io.portcullis.artifacts.cache.CacheKey;
import io.portcullis.artifacts.cache.CacheLookup;
import io.portcullis.artifacts.cache.CacheTrust;
import io.portcullis.artifacts.cache.CachedFile;
import io.portcullis.artifacts.cache.SharedCache;
import io.portcullis.artifacts.cache.SigningIdentity;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.testing.Modules;
import io.portcullis.artifacts.testing.TestCa;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/**
 * Measures the CPU time for reading and verifying policies from the cache. Wall-clock time would include other
 * processes.
 */
public final class CacheBench {

    private static final int POLICIES = 30;
    private static final int TYPICAL = 5_000_000;
    private static final int LARGE = 25_000_000;

    private CacheBench() {}

    public static void main(String[] arguments) throws IOException {
        var directory = Path.of(arguments[0]);
        Files.createDirectories(directory);
        var ca = TestCa.create("bench CA");
        var signer = ca.codeSigner("policy-server-bench");
        var identity = new SigningIdentity(signer.certificate(), signer.keys().getPrivate());
        var trust = new CacheTrust(List.of(ca.certificate()), "policy-server-bench");
        var cache = new SharedCache(directory, () -> identity, () -> trust, (_, _) -> {}, Clock.systemUTC());
        var large = key(LARGE, 1000);
        cache.store(large, new CachedFile.Original(), Modules.ofSize(LARGE, 1000));
        for (int policy = 0; policy < POLICIES; policy++) {
            cache.store(key(TYPICAL, policy), new CachedFile.Optimized("bench"), Modules.ofSize(TYPICAL, policy));
        }

        for (int round = 1; round <= 3; round++) {
            var start = cpu();
            read(cache, large, new CachedFile.Original());
            System.out.printf("round %d: a 25 MB module read and verified in %d ms of CPU%n", round, since(start));
            start = cpu();
            for (int policy = 0; policy < POLICIES; policy++) {
                read(cache, key(TYPICAL, policy), new CachedFile.Optimized("bench"));
            }
            System.out.printf("round %d: 30 policies of 5 MB read and verified in %d ms of CPU%n", round, since(start));
        }
    }

    private static CacheKey key(int size, int seed) {
        return CacheKey.of("ghcr.io/bench/policy-" + seed + ":v" + size, Digest.sha256(new byte[] {(byte) seed, 1}));
    }

    private static void read(SharedCache cache, CacheKey key, CachedFile file) {
        if (!(cache.find(key, file) instanceof CacheLookup.Found)) {
            throw new IllegalStateException("not found");
        }
    }

    private static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long since(long start) {
        return (cpu() - start) / 1_000_000;
    }
}
