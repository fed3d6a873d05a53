package io.portcullis.wasm;

/** A module with its imports resolved. Thread-safe; each request takes its own {@link Instance}. */
public interface LinkedModule extends AutoCloseable {

    /**
     * Makes a fresh instance: new store, new memory, start section run under the deadline. Nothing survives from other
     * instances. The instance belongs to the calling thread.
     *
     * @param hostState the object that {@link Instance#state} returns to host functions
     * @throws TrapException when the start section traps or a limit is hit
     * @throws DeadlineExceededException when the deadline passes in the start section
     */
    Instance instantiate(SizeLimits limits, Deadline deadline, Object hostState);

    @Override
    void close();
}
