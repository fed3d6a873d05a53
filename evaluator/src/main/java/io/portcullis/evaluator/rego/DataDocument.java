package io.portcullis.evaluator.rego;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** A data document for guests. One guest parses a large document; the following guests get a copy of its heap. */
final class DataDocument {

    /** The minimum size from which copying a heap is cheaper than parsing the text again. */
    private static final int MIN_IMAGE_BYTES = 64 << 10;

    private final byte[] base;
    private final List<GatekeeperInventory.Listing> snapshot;
    private final byte[] json;
    private final AtomicReference<Optional<HeapImage>> image = new AtomicReference<>(Optional.empty());

    DataDocument(byte[] base, List<GatekeeperInventory.Listing> snapshot, byte[] json) {
        this.base = base;
        this.snapshot = snapshot;
        this.json = json;
    }

    boolean hasSources(byte[] otherBase, List<GatekeeperInventory.Listing> otherSnapshot) {
        return snapshot.equals(otherSnapshot) && Arrays.equals(base, otherBase);
    }

    /** Loads the document into a fresh guest and returns its address. */
    long load(RegoInstance guest) {
        if (json.length < MIN_IMAGE_BYTES) {
            return guest.parseJson(json);
        }
        var cachedImage = image.get();
        if (cachedImage.isPresent()) {
            return cachedImage.get().restore(guest);
        }
        long address = guest.parseJson(json);
        image.set(HeapImage.after(address, guest));
        return address;
    }
}
