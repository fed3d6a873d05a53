package io.portcullis.wasm;

import java.util.List;

/** One running guest, confined to the thread that made it. Close it when the request is answered. */
public interface Instance extends AutoCloseable {

    /**
     * The maximum nesting depth of calls between guest and host. The native stack of guests does not count the frames of the
     * host between them. A Rego guest needs two.
     */
    int MAX_NESTED_CALLS = 8;

    /** For engines: returns the trap for too deeply nested calls between guest and host. */
    static TrapException nestedTooDeeply() {
        return new TrapException(
                TrapException.Kind.STACK_OVERFLOW,
                "call stack exhausted: guest and host call each other more than " + MAX_NESTED_CALLS + " times",
                List.of(),
                null);
    }

    boolean exports(String name);

    /**
     * Calls an exported function. Arguments and results are raw bits: an i32 is the low half of a long, floats as by
     * {@link Float#floatToRawIntBits} and {@link Double#doubleToRawLongBits}.
     *
     * @return the results, an empty array when the function returns none
     * @throws TrapException when the guest traps or a host function raises a trap
     * @throws DeadlineExceededException when the deadline given at instantiation passes
     * @throws GuestExitException when the guest leaves through {@code proc_exit}
     */
    long[] call(String function, long... arguments);

    /**
     * The memory exported under {@code memory}, or the imported one.
     *
     * @throws TrapException when there is none
     */
    Memory memory();

    /** Returns the host state that was passed to {@link LinkedModule#instantiate}. */
    Object state();

    Deadline deadline();

    @Override
    void close();
}
