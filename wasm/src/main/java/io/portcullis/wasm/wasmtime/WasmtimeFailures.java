package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.TrapException;
import io.portcullis.wasm.TrapException.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Converts native errors and traps into our exceptions, and frees them. */
final class WasmtimeFailures {

    private static final int BACKTRACE_FRAMES = 32;
    private static final String CAUSE = "Caused by:";

    /** Bounds the text, which contains function names that the module chooses. */
    private static final int LONGEST_TEXT = 4 << 10;

    private static final int LONGEST_NAME = 200;

    private final NativeLibrary library;

    WasmtimeFailures(NativeLibrary library) {
        this.library = library;
    }

    /** The text of a {@code wasmtime_error_t} on one line, outermost context first; frees the error. */
    String consumeError(MemorySegment error) {
        try (var arena = Arena.ofConfined()) {
            var message = Layouts.vector(arena);
            library.run("wasmtime_error_message", error, message);
            var text = Layouts.text(message);
            library.run("wasm_byte_vec_delete", message);
            library.run("wasmtime_error_delete", error);
            return oneLine(text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text);
        }
    }

    void discardError(MemorySegment error) {
        library.run("wasmtime_error_delete", error);
    }

    void discardTrap(MemorySegment trap) {
        library.run("wasm_trap_delete", trap);
    }

    /** A {@code wasm_trap_t} as an exception; frees the trap. */
    TrapException consumeTrap(MemorySegment trap) {
        try (var arena = Arena.ofConfined()) {
            var code = arena.allocate(ValueLayout.JAVA_INT);
            var kind = library.flag("wasmtime_trap_code", trap, code)
                    ? kind(code.get(ValueLayout.JAVA_BYTE, 0))
                    : Kind.OTHER;
            var message = Layouts.vector(arena);
            library.run("wasm_trap_message", trap, message);
            var text = innermost(Layouts.text(message));
            library.run("wasm_byte_vec_delete", message);
            var backtrace = backtrace(arena, trap);
            library.run("wasm_trap_delete", trap);
            return new TrapException(kind, text, backtrace, null);
        }
    }

    private List<String> backtrace(Arena arena, MemorySegment trap) {
        var frames = Layouts.vector(arena);
        library.run("wasm_trap_trace", trap, frames);
        var names = new ArrayList<String>();
        for (var index = 0; index < Math.min(Layouts.count(frames), BACKTRACE_FRAMES); index++) {
            var name = library.pointer("wasmtime_frame_func_name", Layouts.element(frames, index));
            if (name.address() != 0) {
                var text = Layouts.text(name);
                names.add(text.length() > LONGEST_NAME ? text.substring(0, LONGEST_NAME) : text);
            }
        }
        library.run("wasm_frame_vec_delete", frames);
        return names;
    }

    /** Maps {@code wasmtime_trap_code_enum}; missing codes belong to disabled features. */
    private static Kind kind(byte code) {
        return switch (code) {
            case 0 -> Kind.STACK_OVERFLOW;
            case 1, 2, 3, 14 -> Kind.OUT_OF_BOUNDS;
            case 4, 5, 13 -> Kind.INDIRECT_CALL;
            case 6, 7, 8 -> Kind.ARITHMETIC;
            case 9 -> Kind.UNREACHABLE;
            case 15 -> Kind.LIMIT;
            default -> Kind.OTHER;
        };
    }

    /** Removes the backtrace, which Wasmtime puts before the reason. Our exception has a separate backtrace. */
    static String innermost(String text) {
        var cause = text.lastIndexOf(CAUSE);
        var reason = cause < 0 ? text : text.substring(cause + CAUSE.length());
        return oneLine(reason.length() > LONGEST_TEXT ? reason.substring(0, LONGEST_TEXT) : reason);
    }

    /** Texts of traps end in a NUL, those of errors do not. */
    static String oneLine(String text) {
        return text.replace("\0", "")
                .replace(CAUSE, ":")
                .replaceAll("\\s*\\R\\s*", " ")
                .replaceAll("\\s+:", ":")
                .strip();
    }
}
