package io.portcullis.artifacts.cache;

import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.PolicyUri;
import java.nio.file.Path;

/**
 * Identifies the module that a cached file belongs to.
 *
 * @param place the source of the module, without its tag, because tags move and content does not
 * @param digest {@code sha256:<hex>} of the downloaded module
 */
public record CacheKey(String place, String digest) {

    public CacheKey {
        Digest.check(digest);
    }

    public static CacheKey of(String url, String digest) {
        var place = switch (PolicyUri.parse(url)) {
            case PolicyUri.Registry(var image) -> image.registry() + "/" + image.repository();
            case PolicyUri.Web web -> web.host() + web.uri().getRawPath();
            // The file at a path may change later; the digest separates the versions.
            case PolicyUri.LocalFile _ -> "local";
        };
        return new CacheKey(place, digest);
    }

    Path directory(Path root) {
        return root.resolve(place).resolve(Digest.hex(digest));
    }
}
