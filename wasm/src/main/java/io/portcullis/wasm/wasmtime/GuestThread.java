package io.portcullis.wasm.wasmtime;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Thread-local state of a thread that runs guests: the running instance, which upcalls use without a lookup, and spare
 * {@link Scratch}. Confined to its thread.
 */
final class GuestThread {

    private static final ThreadLocal<GuestThread> CURRENT = ThreadLocal.withInitial(GuestThread::new);

    private final ArrayDeque<Scratch> spare = new ArrayDeque<>();
    private @Nullable WasmtimeInstance running;

    static GuestThread current() {
        return CURRENT.get();
    }

    /** Only upcalls ask, and those happen only while an instance runs. */
    WasmtimeInstance running() {
        if (running == null) {
            throw new IllegalStateException("no guest is running on this thread");
        }
        return running;
    }

    /** @return what ran before, to be handed to {@link #leave} */
    @Nullable
    WasmtimeInstance enter(WasmtimeInstance instance) {
        var outer = running;
        running = instance;
        return outer;
    }

    void leave(@Nullable WasmtimeInstance outer) {
        running = outer;
    }

    Scratch takeScratch() {
        var scratch = spare.poll();
        return scratch == null ? new Scratch() : scratch;
    }

    void giveBack(Scratch scratch) {
        spare.push(scratch);
    }
}
