package io.portcullis.server.cluster.serving;

import io.portcullis.api.condition.Reason;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoader;
import io.portcullis.server.cluster.metrics.LoadMetrics;
import io.portcullis.server.cluster.metrics.LoadMetrics.Step;
import io.portcullis.server.cluster.modules.RevisionModules;
import io.portcullis.server.cluster.modules.SignedModules;
import io.portcullis.server.cluster.revisions.ErrorTexts;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.RevisionStatements;
import java.util.Map;
import java.util.TreeMap;

/** Loads the policy of an initialised revision. Thread-safe. */
public final class RevisionLoader {

    private final RevisionModules modules;
    private final SignedModules signedModules;
    private final PolicyLoader loader;
    private final LoadMetrics metrics;

    public RevisionLoader(
            RevisionModules modules, RevisionStatements statements, PolicyLoader loader, LoadMetrics metrics) {
        this.modules = modules;
        this.signedModules = new SignedModules(statements, modules);
        this.loader = loader;
        this.metrics = metrics;
    }

    /** The result of a load. */
    sealed interface Result {

        /** @param digests the digests of the loaded bytes, by member */
        record Loaded(LoadedPolicy policy, Map<String, String> digests) implements Result {}

        record Failed(Reason reason, String message) implements Result {}
    }

    /** Loads a revision. Runs guests. Returns a failure instead of throwing when the revision is faulty. */
    Result load(ObservedRevision revision, ResolvedLoadSpec loadSpec) {
        try {
            signedModules.require(revision);
            var fetched = fetch(loadSpec);
            var policy = metrics.time(
                    Step.LOAD,
                    () -> loader.load(
                            loadSpec.policy().policyId(), loadSpec.policy().entry(), url -> bytesOf(fetched, url)));
            return new Result.Loaded(policy, digests(loadSpec, fetched));
        } catch (ArtifactException e) {
            var reason = e.reason() == ArtifactException.Reason.CACHE_INTEGRITY
                    ? Reason.CACHE_INTEGRITY_ERROR
                    : Reason.LOAD_ERROR;
            return failed(reason, e.getMessage());
        } catch (PolicyLoadException e) {
            var reason = e.reason() == PolicyLoadException.Reason.PREPARATION_FAILED
                    ? Reason.PREPARATION_FAILED
                    : Reason.LOAD_ERROR;
            return failed(reason, e.getMessage());
        } catch (OutOfMemoryError e) {
            // About native memory: an OutOfMemoryError about the heap ends the process.
            return failed(Reason.OUT_OF_MEMORY, "not enough memory: " + e.getMessage());
        } catch (RuntimeException e) {
            return failed(Reason.LOAD_ERROR, e.toString());
        }
    }

    private static Result failed(Reason reason, @org.jspecify.annotations.Nullable String cause) {
        return new Result.Failed(reason, ErrorTexts.sanitize(String.valueOf(cause)));
    }

    /** Fetches the modules, by reference. Within a revision a reference resolves to one module only. */
    private Map<String, byte[]> fetch(ResolvedLoadSpec loadSpec) {
        var fetched = new TreeMap<String, byte[]>();
        modulesOf(loadSpec).forEach((member, url) -> {
            var digest = loadSpec.digests().get(member);
            if (digest == null) {
                throw new ArtifactException(
                        ArtifactException.Reason.INVALID_REFERENCE, "the leader has not resolved a digest for " + url);
            }
            fetched.computeIfAbsent(url, _ -> metrics.time(Step.FETCH, () -> modules.bytes(url, digest)));
        });
        return fetched;
    }

    private static byte[] bytesOf(Map<String, byte[]> fetched, String url) {
        var wasm = fetched.get(url);
        if (wasm == null) {
            throw new IllegalStateException("not fetched: " + url);
        }
        return wasm;
    }

    private static Map<String, String> digests(ResolvedLoadSpec loadSpec, Map<String, byte[]> fetched) {
        var digests = new TreeMap<String, String>();
        modulesOf(loadSpec).forEach((member, url) -> digests.put(member, Digest.sha256(bytesOf(fetched, url))));
        return digests;
    }

    private static Map<String, String> modulesOf(ResolvedLoadSpec loadSpec) {
        var urls = new TreeMap<String, String>();
        loadSpec.policy().modules().forEach((member, module) -> urls.put(member, module.module()));
        return urls;
    }
}
