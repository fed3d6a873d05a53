package io.portcullis.artifacts.tuf;

import io.portcullis.fuzz.Inputs;
import java.security.GeneralSecurityException;
import java.time.Instant;

/** TUF metadata: a GeneralSecurityException from every check, never another exception. */
public final class TufMetadataFuzz {

    private TufMetadataFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            var metadata = TufMetadata.parse(input, "root");
            metadata.version();
            metadata.announcedVersion("snapshot.json");
            metadata.checkNotExpired(Instant.EPOCH);
            metadata.checkSigns("root", metadata);
        } catch (GeneralSecurityException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
