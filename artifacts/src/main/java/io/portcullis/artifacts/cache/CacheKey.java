package io.portcullis.artifacts.cache;

import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.PolicyUri;
import java.nio.file.Path;

/**
 * What a cached file belongs to.
 *
 * @param place where the module comes from, without its tag: tags move, content does not
 * @param digest {@code sha256:<hex>} of the module as it was downloaded
 */
public record CacheKey(String place, String digest) {

    public CacheKey {
        Digest.check(digest);
    }

    public static CacheKey of(String url, String digest) {
        var place = switch (PolicyUri.parse(url)) {
            case PolicyUri.Registry(var image) -> image.registry() + "/" + image.repository();
            case PolicyUri.Web web -> web.host() + web.uri().getRawPath();
            // Another file may lie there tomorrow; the digest tells them apart.
            case PolicyUri.LocalFile _ -> "local";
        };
        return new CacheKey(place, digest);
    }

    Path directory(Path root) {
        return root.resolve(place).resolve(Digest.hex(digest));
    }
}
