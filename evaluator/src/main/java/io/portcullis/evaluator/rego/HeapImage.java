package io.portcullis.evaluator.rego;

import java.util.Optional;

/**
 * The memory of a guest that has parsed a document and done nothing else. Fresh guests of the same module all begin
 * alike, so the image put into one of them makes it a guest that has parsed the document too.
 */
record HeapImage(byte[] memory, long address) {

    /** Modules that claim to need more are parsed into again for each request. */
    private static final long MAX_BYTES = 16L << 20;

    /** The image, if the heap that the guest reports is not too large to keep. */
    static Optional<HeapImage> after(long address, RegoInstance guest) {
        long end = guest.call("opa_heap_ptr_get");
        return end > MAX_BYTES
                ? Optional.empty()
                : Optional.of(new HeapImage(guest.instance().memory().read(0, end), address));
    }

    long restore(RegoInstance guest) {
        if (guest.instance().memory().size() < memory.length) {
            // The only way to make the memory grow from outside; what it writes is overwritten next.
            guest.call("opa_malloc", memory.length);
        }
        guest.instance().memory().write(0, memory);
        return address;
    }
}
