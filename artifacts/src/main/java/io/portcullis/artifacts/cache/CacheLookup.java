package io.portcullis.artifacts.cache;

/** What the cache has. */
public sealed interface CacheLookup {

    /** Verified: these very bytes are what was signed. */
    record Found(byte[] bytes) implements CacheLookup {}

    record Absent() implements CacheLookup {}

    /** There was something, it did not verify, and it is gone (or, on a read-only volume, never used). Make it anew. */
    record Rejected(String why) implements CacheLookup {}
}
