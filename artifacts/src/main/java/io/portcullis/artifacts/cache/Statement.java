package io.portcullis.artifacts.cache;

import java.nio.charset.StandardCharsets;

/**
 * What is signed about a cached file. Written line by line, compared byte by byte: there is one way to write it.
 *
 * @param content digest of the file itself
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
