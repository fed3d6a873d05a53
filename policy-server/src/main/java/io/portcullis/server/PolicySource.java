package io.portcullis.server;

import io.portcullis.server.standalone.StandalonePolicyState;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Where policies come from, kept up to date in the environment that requests see. */
public interface PolicySource extends AutoCloseable {

    /** Loads what there is and follows changes from then on; may return before everything is loaded. */
    void start() throws InterruptedException;

    /** Whether requests may come. */
    boolean isReady();

    /** Ends exceptionally when this process must end; never otherwise. */
    CompletableFuture<Void> failure();

    /** How each policy is doing. */
    List<StandalonePolicyState> states();

    /** The process is about to end; what is loaded is served until then. */
    void leave();

    @Override
    void close();
}
