package io.portcullis.server.cluster;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Creates thread pools for work that runs guests. Native frames need platform threads with large stacks. */
final class Workers {

    private static final long STACK_BYTES = 16L << 20;

    private Workers() {}

    static ExecutorService pool(String name, int size) {
        return Executors.newFixedThreadPool(
                size,
                Thread.ofPlatform()
                        .name(name + "-", 0)
                        .stackSize(STACK_BYTES)
                        .daemon()
                        .factory());
    }
}
