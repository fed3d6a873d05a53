package io.portcullis.wasm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A trap ended the guest: its own, a limit, or one that a host function raised. */
public final class TrapException extends WasmException {

    /** The cause of the trap, as far as the engine reports it. */
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

    /** Creates a trap with which a host function ends the guest. */
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
