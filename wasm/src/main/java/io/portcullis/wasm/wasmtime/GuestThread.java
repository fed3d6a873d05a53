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

    /** Returns the running instance. Only upcalls use this, and they only happen while an instance runs. */
    WasmtimeInstance running() {
        if (running == null) {
            throw new IllegalStateException("no guest is running on this thread");
        }
        return running;
    }

    /** @return the instance that ran before, for {@link #leave} */
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
