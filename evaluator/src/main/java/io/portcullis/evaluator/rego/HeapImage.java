package io.portcullis.evaluator.rego;

import java.util.Optional;

/**
 * The memory of a guest that has only parsed a document. All fresh guests of a module start with the same memory, so
 * restoring the image gives a guest the same state as parsing the document.
 */
record HeapImage(byte[] memory, long address) {

    /**
     * The maximum size of an image. For modules that report a larger heap, every request parses the document again.
     */
    private static final long MAX_BYTES = 16L << 20;

    /** Returns the image, unless the heap that the guest reports is too large. */
    static Optional<HeapImage> after(long address, RegoInstance guest) {
        long end = guest.call("opa_heap_ptr_get");
        return end > MAX_BYTES
                ? Optional.empty()
                : Optional.of(new HeapImage(guest.instance().memory().read(0, end), address));
    }

    long restore(RegoInstance guest) {
        if (guest.instance().memory().size() < memory.length) {
            // This is the only way to grow the memory from outside. The image overwrites everything that this call
            // writes.
            guest.call("opa_malloc", memory.length);
        }
        guest.instance().memory().write(0, memory);
        return address;
    }
}
