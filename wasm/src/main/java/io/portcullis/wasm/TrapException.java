package io.portcullis.wasm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The guest was ended by a trap: its own, a limit, or one raised by a host function. */
public final class TrapException extends WasmException {

    /** Why, as far as the engine tells. */
    public enum Kind {
        UNREACHABLE,
        OUT_OF_BOUNDS,
        STACK_OVERFLOW,
        ARITHMETIC,
        INDIRECT_CALL,
        LIMIT,
        HOST,
        OTHER
    }

    private final Kind kind;
    private final List<String> backtrace;

    public TrapException(Kind kind, String message, List<String> backtrace, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.backtrace = List.copyOf(backtrace);
    }

    /** For host functions that end the guest. */
    public static TrapException byHost(String message) {
        return new TrapException(Kind.HOST, message, List.of(), null);
    }

    public Kind kind() {
        return kind;
    }

    /** Names of the innermost guest functions, innermost first; empty when the module carries no names. */
    public List<String> backtrace() {
        return backtrace;
    }
}
