package io.portcullis.evaluator.rego;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** A data document on its way into guests. Large ones are parsed by one guest, whose heap the next ones get a copy of. */
final class DataDocument {

    /** From here on copying a heap is cheaper than parsing the text again. */
    private static final int WORTH_AN_IMAGE = 64 << 10;

    private final byte[] base;
    private final List<GatekeeperInventory.Listing> snapshot;
    private final byte[] json;
    private final AtomicReference<Optional<HeapImage>> image = new AtomicReference<>(Optional.empty());

    DataDocument(byte[] base, List<GatekeeperInventory.Listing> snapshot, byte[] json) {
        this.base = base;
        this.snapshot = snapshot;
        this.json = json;
    }

    boolean isMadeOf(byte[] otherBase, List<GatekeeperInventory.Listing> otherSnapshot) {
        return snapshot.equals(otherSnapshot) && Arrays.equals(base, otherBase);
    }

    /** Puts the document into a fresh guest and returns its address. */
    long load(RegoInstance guest) {
        if (json.length < WORTH_AN_IMAGE) {
            return guest.parseJson(json);
        }
        var known = image.get();
        if (known.isPresent()) {
            return known.get().restore(guest);
        }
        long address = guest.parseJson(json);
        image.set(HeapImage.after(address, guest));
        return address;
    }
}
