package io.portcullis.process.http;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Lowers the wanted number of connections to what the descriptors and the heap of this process can carry. */
final class ConnectionLimit {

    /** What one open connection takes: two buffers of 8 KiB, a thread, the reader and the headers of a request. */
    private static final long PLAIN_BYTES = 32 << 10;

    /** With TLS there are four more buffers of 17 KiB, and the state of the session. */
    private static final long TLS_BYTES = 112 << 10;

    /** Connections may take this part of the heap. */
    private static final int HEAP_SHARE = 3;

    /** Files and sockets that are opened later keep this part of the descriptors. */
    private static final int DESCRIPTOR_SHARE = 4;

    private ConnectionLimit() {}

    /** The number of connections that a listener of this process may hold. */
    static int ofThisProcess(int wanted, boolean isTls) {
        return of(wanted, freeDescriptors(), Runtime.getRuntime().maxMemory(), isTls);
    }

    /**
     * Decides how many connections may be open.
     *
     * @param descriptors how many more files the process may open
     * @param heapBytes how large the heap may become
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
