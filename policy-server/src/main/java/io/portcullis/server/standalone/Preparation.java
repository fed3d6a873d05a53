package io.portcullis.server.standalone;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.artifacts.PolicyFetcher;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Detail;
import io.portcullis.evaluator.PolicyLoader;
import io.portcullis.evaluator.group.GroupTargets;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Loads the policy of an entry: fetches, compiles and links modules, validates settings, and compares the members of a
 * group. Returns a failure for a faulty entry.
 */
final class Preparation {

    sealed interface Outcome {

        /** @param digest the digest of the module; for a group, a digest over the digests of its members */
        record Ready(LoadedPolicy policy, String digest) implements Outcome {}

        /**
         * @param rejection the rejection text for requests when there is no older generation to serve
         * @param mayRetry whether another attempt with the same entry may succeed now
         */
        record Failed(String cause, String rejection, BooleanSupplier mayRetry) implements Outcome {}
    }

    private final PolicyFetcher fetcher;
    private final PolicyLoader loader;
    private final ModulePaths paths;
    private final Predicate<String> isQuarantined;

    /** @param isQuarantined whether the module with this digest is in quarantine */
    Preparation(PolicyFetcher fetcher, PolicyLoader loader, ModulePaths paths, Predicate<String> isQuarantined) {
        this.fetcher = fetcher;
        this.loader = loader;
        this.paths = paths;
        this.isQuarantined = isQuarantined;
    }

    Outcome prepare(String id, PolicyEntry entry) {
        var digests = new TreeMap<String, String>();
        try {
            // A group of a policies file has no rules of its own.
            var policy = GroupTargets.loadChecked(loader, id, entry, Optional.empty(), url -> {
                var module = fetcher.fetch(paths.resolve(url));
                digests.put(url, module.digest());
                return module.wasm();
            });
            return new Outcome.Ready(policy, combined(digests));
        } catch (PolicyLoadException e) {
            return new Outcome.Failed(String.valueOf(e.getMessage()), e.rejection(id), mayRetry(e));
        } catch (ArtifactException e) {
            var text = String.valueOf(e.getMessage());
            var isRetryable = e.reason().isRetryable();
            return new Outcome.Failed(text, "bootstrap failure: " + id + ": " + text, () -> isRetryable);
        }
    }

    private BooleanSupplier mayRetry(PolicyLoadException e) {
        return switch (e.detail()) {
            case Detail.Quarantined(var digest) -> () -> !isQuarantined.test(digest);
            case Detail.None _, Detail.SettingsRejected _, Detail.NoGuestCall _ -> () -> false;
        };
    }

    private static String combined(SortedMap<String, String> digests) {
        if (digests.size() == 1) {
            return digests.firstEntry().getValue();
        }
        try {
            var all = String.join("\n", digests.values()).getBytes(StandardCharsets.UTF_8);
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(all));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
