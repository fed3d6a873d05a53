package io.portcullis.server.source;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Provides policies, and keeps the routing table that requests use up to date. */
public interface PolicySource extends AutoCloseable {

    /** Loads the policies and then follows changes. May return before everything is loaded. */
    void start() throws InterruptedException;

    /** Whether the server may receive requests. */
    boolean isReady();

    /** Completes exceptionally when this process must exit; never completes otherwise. */
    CompletableFuture<Void> failure();

    /** Returns the state of each policy. */
    List<PolicyLoadState> states();

    /** Called before the process exits. Loaded policies are served until then. */
    void prepareShutdown();

    @Override
    void close();
}
