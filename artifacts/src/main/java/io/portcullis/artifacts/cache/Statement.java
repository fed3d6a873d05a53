package io.portcullis.artifacts.cache;

import java.nio.charset.StandardCharsets;

/**
 * The signed statement about a cached file. The encoding is line-based and unique, because signatures cover its
 * bytes.
 *
 * @param content digest of the file
 */
record Statement(CacheKey key, CachedFile file, String content) {

    byte[] bytes() {
        return String.join(
                        "\n",
                        "portcullis cache v1",
                        "place " + key.place(),
                        "module " + key.digest(),
                        "file " + file.name(),
                        "content " + content,
                        "")
                .getBytes(StandardCharsets.UTF_8);
    }
}
