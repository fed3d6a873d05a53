package io.portcullis.server.cluster.initialization;

import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The digests of the previous generation's modules, by reference. The leader does not resolve an unchanged reference again.
 * A change of settings therefore neither waits for a registry nor picks up other code from a tag that has moved.
 */
record EarlierModules(Map<String, String> digests) {

    private static final String FLOATING_TAG = "latest";

    EarlierModules {
        digests = Map.copyOf(digests);
    }

    /** Returns the modules of the newest earlier generation of the same policy that is initialised. */
    static EarlierModules of(ObservedRevision revision, List<ObservedRevision> revisionsOfPolicy) {
        var digests = new HashMap<String, String>();
        revisionsOfPolicy.stream()
                .filter(other -> other.spec()
                                .objectReference()
                                .uid()
                                .equals(revision.spec().objectReference().uid())
                        && other.generation() < revision.generation()
                        && other.isInitialized())
                .max(Comparator.comparingLong(ObservedRevision::generation))
                .ifPresent(previous -> previous.status()
                        .artifacts()
                        .forEach(artifact -> digests.put(artifact.module(), artifact.digest())));
        return new EarlierModules(digests);
    }

    /** Returns the earlier digest of a reference, unless users expect this reference to be resolved every time. */
    Optional<String> digest(String url) {
        return Optional.ofNullable(digests.get(url)).filter(_ -> isReusable(url));
    }

    /** Follows the image pull policy of pods: {@code latest} is always pulled. Files on web servers have no version. */
    private static boolean isReusable(String url) {
        return PolicyUri.parse(url) instanceof PolicyUri.Registry(var image)
                && !image.identifier().equals(FLOATING_TAG);
    }
}
