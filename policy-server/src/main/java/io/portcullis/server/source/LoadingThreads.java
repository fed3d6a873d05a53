package io.portcullis.server.source;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Creates thread pools that load policies, which runs their guests. Native frames need platform threads with large stacks. */
public final class LoadingThreads {

    private static final long STACK_BYTES = 16L << 20;

    private LoadingThreads() {}

    public static ExecutorService pool(String name, int size) {
        return Executors.newFixedThreadPool(
                size,
                Thread.ofPlatform()
                        .name(name + "-", 0)
                        .stackSize(STACK_BYTES)
                        .daemon()
                        .factory());
    }
}
