package io.portcullis.artifacts.cache;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.util.regex.Pattern;

/** One kind of file that the cache stores for a module. */
public sealed interface CachedFile {

    Pattern FINGERPRINT = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}");

    /** Returns the file name, which the signed statement also contains. */
    String name();

    /** The unchanged downloaded module. */
    record Original() implements CachedFile {
        @Override
        public String name() {
            return "original.wasm";
        }
    }

    /**
     * @param fingerprint of the engine that compiled the file and can load it: version, configuration, processor
     *     features
     */
    record Optimized(String fingerprint) implements CachedFile {

        private static final String PREFIX = "optimized-";
        private static final String SUFFIX = ".bin";

        public Optimized {
            if (!FINGERPRINT.matcher(fingerprint).matches()) {
                throw new ArtifactException(
                        Reason.INVALID_REFERENCE, "an engine fingerprint is a file name's part, not: " + fingerprint);
            }
        }

        @Override
        public String name() {
            return PREFIX + fingerprint + SUFFIX;
        }

        static boolean isName(String name) {
            return name.startsWith(PREFIX);
        }
    }
}
