package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.LinkException;
import io.portcullis.wasm.Memory;
import io.portcullis.wasm.MemoryBudget;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.TrapException;
import io.portcullis.wasm.TrapException.Kind;
import io.portcullis.wasm.WasmException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store with one instance. {@link #close} releases all its resources. Confined to its thread. */
final class WasmtimeInstance implements Instance {

    private final WasmtimeLinkedModule linked;
    private final WasmtimeEngine engine;
    private final Wasmtime wasmtime;
    private final GuestThread thread;
    private final Scratch scratch;
    private final MemorySegment store;
    private final MemorySegment context;
    private final Deadline deadline;
    private final Object state;
    private final MemoryBudget.Reservation reservation;
    private @Nullable WasmtimeMemory memory;
    private @Nullable Throwable failure;
    private int depth;
    private boolean started;
    private boolean closed;

    /**
     * Takes over one reference to {@code linked}. Waits until the memory that instances of this module usually need is
     * free.
     */
    WasmtimeInstance(WasmtimeLinkedModule linked, SizeLimits limits, Deadline deadline, Object state) {
        this.linked = linked;
        this.engine = linked.engine();
        this.wasmtime = engine.wasmtime();
        this.thread = GuestThread.current();
        this.deadline = deadline;
        this.state = state;
        checkDeadline();
        this.reservation = engine.guestMemory().reserve(linked.memoryUse().expected(limits), deadline);
        this.scratch = thread.takeScratch();
        this.store = wasmtime.newStore(linked.nativeEngine());
        this.context = wasmtime.context(store);
        var outline = linked.module().outline();
        wasmtime.limit(
                store,
                limits.bytesPerMemory(outline.memories()),
                limits.elementsPerTable(outline.tables()),
                1,
                outline.tables(),
                outline.memories());
        wasmtime.setEpochDeadline(context, deadline.isNone() ? EpochTicker.NEVER : 1);
        if (!deadline.isNone()) {
            wasmtime.onEpochDeadline(store, engine.epochCallback());
        }
    }

    /** Creates the instance and runs its start section. */
    void start() {
        checkDeadline();
        var outer = enter();
        MemorySegment error;
        try {
            error = linked.instantiate(context, scratch);
        } finally {
            leave(outer);
        }
        endOn(error);
        started = true;
        checkMemoryUse();
    }

    @Override
    public boolean exports(String name) {
        return linked.module().exports(name);
    }

    @Override
    public long[] call(String name, long... arguments) {
        var export = linked.module().function(name);
        if (export == null) {
            throw new LinkException("the module exports no function `" + name + "` that can be called");
        }
        if (arguments.length != export.parameters().length) {
            throw new LinkException("the exported function `%s` takes %d parameters, not %d"
                    .formatted(name, export.parameters().length, arguments.length));
        }
        checkOpen();
        checkDeadline();
        wasmtime.export(context, scratch.instance, export.name(), scratch.extern);
        for (var index = 0; index < arguments.length; index++) {
            RawValues.set(scratch.values, index, export.parameters()[index], arguments[index]);
        }
        var outer = enter();
        MemorySegment error;
        try {
            error = wasmtime.call(context, scratch.externOf, scratch.values, Scratch.MAX_VALUES, scratch.clearedTrap());
        } finally {
            leave(outer);
        }
        endOn(error);
        var results = new long[export.results().length];
        for (var index = 0; index < results.length; index++) {
            results[index] = RawValues.get(scratch.values, index, export.results()[index]);
        }
        return results;
    }

    @Override
    public Memory memory() {
        if (memory == null) {
            checkOpen();
            if (!linked.findMemory(context, scratch)) {
                throw TrapException.byHost("the module has no memory that the host can reach");
            }
            memory = new WasmtimeMemory(wasmtime, context, scratch.memory);
        }
        return memory;
    }

    @Override
    public Object state() {
        return state;
    }

    @Override
    public Deadline deadline() {
        return deadline;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        checkOpen();
        if (started && linked.memoryUse().isVisible()) {
            linked.memoryUse().record(memory().size());
        }
        closed = true;
        if (memory != null) {
            memory.detach();
        }
        wasmtime.deleteStore(store);
        reservation.close();
        thread.giveBack(scratch);
        linked.release();
    }

    /**
     * Reserves the bytes by which the guest's memory has grown. Called when a host function returns, and at every epoch tick.
     *
     * @throws io.portcullis.wasm.MemoryBudgetExceededException when it does not fit
     */
    void checkMemoryUse() {
        if (started && linked.memoryUse().isVisible()) {
            reservation.growTo(memory().size());
        }
    }

    /** Stores the exception of a host function until native code has returned. The first one wins. */
    void fail(Throwable thrown) {
        if (failure == null) {
            failure = thrown;
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the instance is closed");
        }
        if (thread != GuestThread.current()) {
            throw new IllegalStateException("the instance belongs to another thread");
        }
    }

    private void checkDeadline() {
        if (deadline.hasPassed()) {
            throw new DeadlineExceededException();
        }
    }

    private @Nullable WasmtimeInstance enter() {
        if (depth == Instance.MAX_NESTED_CALLS) {
            throw Instance.nestedTooDeeply();
        }
        depth++;
        engine.ticker().guestStarts();
        return thread.enter(this);
    }

    private void leave(@Nullable WasmtimeInstance outer) {
        depth--;
        thread.leave(outer);
        engine.ticker().guestEnds();
    }

    /** Throws when native code reported an error or a trap; frees both. */
    private void endOn(MemorySegment error) {
        var trap = scratch.takeTrap();
        if (error.address() == 0 && trap.address() == 0) {
            return;
        }
        if (failure != null) {
            var thrown = failure;
            failure = null;
            discard(error, trap);
            throw translated(thrown);
        }
        if (trap.address() != 0) {
            throw engine.failures().consumeTrap(trap);
        }
        throw new TrapException(Kind.LIMIT, engine.failures().consumeError(error), List.of(), null);
    }

    private void discard(MemorySegment error, MemorySegment trap) {
        if (error.address() != 0) {
            engine.failures().discardError(error);
        }
        if (trap.address() != 0) {
            engine.failures().discardTrap(trap);
        }
    }

    private static WasmException translated(Throwable thrown) {
        return thrown instanceof WasmException expected
                ? expected
                : new TrapException(Kind.HOST, "a host function failed: " + thrown, List.of(), thrown);
    }

    /** Handles an epoch deadline: a null pointer lets the guest continue for {@code delta} ticks. */
    MemorySegment atEpochDeadline(MemorySegment delta, MemorySegment stopError) {
        if (deadline.hasPassed()) {
            fail(new DeadlineExceededException());
            return wasmtime.newError(stopError);
        }
        try {
            checkMemoryUse();
        } catch (WasmException limit) {
            fail(limit);
            return wasmtime.newError(stopError);
        }
        delta.set(ValueLayout.JAVA_LONG, 0, 1);
        return MemorySegment.NULL;
    }
}
