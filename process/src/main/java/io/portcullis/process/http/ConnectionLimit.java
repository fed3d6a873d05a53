package io.portcullis.process.http;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Lowers the configured connection limit to what the file descriptors and the heap of this process allow. */
final class ConnectionLimit {

    /** Heap of one open connection: two buffers of 8 KiB, a thread, the reader and the headers of a request. */
    private static final long PLAIN_BYTES = 32 << 10;

    /** Heap of one connection with TLS: four more buffers of 17 KiB, and the session state. */
    private static final long TLS_BYTES = 112 << 10;

    /** Connections may take {@code 1 / HEAP_SHARE} of the heap. */
    private static final int HEAP_SHARE = 3;

    /** {@code 1 / DESCRIPTOR_SHARE} of the descriptors stays free for files and sockets that are opened later. */
    private static final int DESCRIPTOR_SHARE = 4;

    private ConnectionLimit() {}

    /** Returns the number of connections that a listener of this process may hold. */
    static int ofThisProcess(int wanted, boolean isTls) {
        return of(wanted, freeDescriptors(), Runtime.getRuntime().maxMemory(), isTls);
    }

    /**
     * Computes how many connections may be open.
     *
     * @param descriptors how many more file descriptors the process may open
     * @param heapBytes the maximum size of the heap
     */
    static int of(int wanted, long descriptors, long heapBytes, boolean isTls) {
        var byDescriptors = descriptors - descriptors / DESCRIPTOR_SHARE - Connections.MAX_REFUSED;
        var byHeap = heapBytes / HEAP_SHARE / (isTls ? TLS_BYTES : PLAIN_BYTES);
        return (int) Math.max(1, Math.min(wanted, Math.min(byDescriptors, byHeap)));
    }

    private static long freeDescriptors() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount()
                : Long.MAX_VALUE;
    }
}
