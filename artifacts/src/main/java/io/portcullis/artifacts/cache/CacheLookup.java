package io.portcullis.artifacts.cache;

/** Result of a cache lookup. */
public sealed interface CacheLookup {

    /** The signature covers exactly these bytes. */
    record Found(byte[] bytes) implements CacheLookup {}

    record Absent() implements CacheLookup {}

    /** The cached file did not verify. It was deleted, or, on a read-only volume, ignored. Create it again. */
    record Rejected(String why) implements CacheLookup {}
}
