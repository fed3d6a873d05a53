package io.portcullis.artifacts.source;

import io.portcullis.artifacts.cache.CacheKey;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.fuzz.Inputs;
import java.nio.file.Path;

/** Module URLs: an ArtifactException, or a URL whose text parses to the same URL and whose cache entry is in the cache. */
public final class PolicyUriFuzz {

    private static final String DIGEST = Digest.sha256(new byte[0]);

    private PolicyUriFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        var text = Inputs.text(input);
        PolicyUri uri;
        try {
            uri = PolicyUri.parse(text);
        } catch (ArtifactException e) {
            return;
        }
        if (!(uri instanceof PolicyUri.LocalFile)) {
            Inputs.check(PolicyUri.parse(uri.toString()).equals(uri), "the text is the same URL");
        }
        var root = Path.of("/cache");
        var place = root.resolve(CacheKey.of(text, DIGEST).place()).normalize();
        Inputs.check(place.startsWith(root) && !place.equals(root), "the cache entry stays in the cache");
    }
}
