package io.portcullis.server.preparation.quarantine;

import io.portcullis.server.preparation.quarantine.Quarantine.Entry;
import java.time.Clock;
import java.util.Collection;
import java.util.List;

/** Creates quarantines without a file. */
public final class Quarantines {

    private Quarantines() {}

    public static Quarantine holding(String... digests) {
        var quarantine = new Quarantine("test", Clock.systemUTC(), new Quarantine.Store() {
            @Override
            public List<Entry> read() {
                return List.of();
            }

            @Override
            public boolean write(Collection<Entry> entries) {
                return false;
            }
        });
        for (var digest : digests) {
            add(quarantine, digest);
        }
        return quarantine;
    }

    public static void add(Quarantine quarantine, String digest) {
        quarantine.add(digest, "too large");
    }
}
