package io.portcullis.server.cluster.initialization;

import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The modules of the generation before, by reference. A reference that did not change need not be resolved again: new
 * settings neither wait for a registry nor bring other code in by a tag that was moved meanwhile.
 */
record EarlierModules(Map<String, String> digests) {

    private static final String FLOATING_TAG = "latest";

    EarlierModules {
        digests = Map.copyOf(digests);
    }

    /** What the newest initialised generation of the same policy before this one had. */
    static EarlierModules of(ObservedRevision revision, List<ObservedRevision> ofOnePolicy) {
        var digests = new HashMap<String, String>();
        ofOnePolicy.stream()
                .filter(other -> other.spec()
                                .objectReference()
                                .uid()
                                .equals(revision.spec().objectReference().uid())
                        && other.generation() < revision.generation()
                        && other.isInitialized())
                .max(Comparator.comparingLong(ObservedRevision::generation))
                .ifPresent(before -> before.status()
                        .artifacts()
                        .forEach(artifact -> digests.put(artifact.module(), artifact.digest())));
        return new EarlierModules(digests);
    }

    /** What a reference stood for, unless it is one that everybody expects to move. */
    Optional<String> digest(String url) {
        return Optional.ofNullable(digests.get(url)).filter(_ -> isSteady(url));
    }

    /** As images of pods are not pulled again: {@code latest} always is, and files of web servers have no version. */
    private static boolean isSteady(String url) {
        return PolicyUri.parse(url) instanceof PolicyUri.Registry(var image)
                && !image.identifier().equals(FLOATING_TAG);
    }
}
