package io.portcullis.wasm.endive;

import io.portcullis.wasm.TrapException;
import io.portcullis.wasm.TrapException.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import run.endive.wasm.WasmModule;

/** Maps Endive's traps to ours by their text, because Endive has no trap codes. The texts are those of the WebAssembly test suite. */
final class Traps {

    private static final int BACKTRACE_FRAMES = 32;
    private static final Pattern COMPILED_FUNCTION = Pattern.compile("func_(\\d+)");

    private Traps() {}

    static TrapException from(Throwable failure, WasmModule module) {
        if (failure instanceof StackOverflowError) {
            return new TrapException(Kind.STACK_OVERFLOW, "call stack exhausted", List.of(), null);
        }
        if (failure instanceof OutOfMemoryError) {
            return new TrapException(Kind.LIMIT, "the host has no memory left for the guest", List.of(), failure);
        }
        var message = Optional.ofNullable(failure.getMessage()).orElseGet(failure::toString);
        return new TrapException(kind(message), message, backtrace(failure, module), failure);
    }

    private static Kind kind(String message) {
        var text = message.toLowerCase(Locale.ROOT);
        if (text.contains("unreachable")) {
            return Kind.UNREACHABLE;
        } else if (text.contains("call stack exhausted")) {
            return Kind.STACK_OVERFLOW;
        } else if (text.contains("out of bounds")) {
            return Kind.OUT_OF_BOUNDS;
        } else if (text.contains("integer") || text.contains("divide")) {
            return Kind.ARITHMETIC;
        } else if (text.contains("indirect call") || text.contains("element") || text.contains("null")) {
            return Kind.INDIRECT_CALL;
        }
        return Kind.OTHER;
    }

    /** Returns the name of a compiled function. Its method name contains the index; the name section maps it to a name. */
    private static List<String> backtrace(Throwable failure, WasmModule module) {
        var names = module.nameSection();
        if (names == null) {
            return List.of();
        }
        return Arrays.stream(failure.getStackTrace())
                .map(frame -> COMPILED_FUNCTION.matcher(frame.getMethodName()))
                .filter(java.util.regex.Matcher::matches)
                .map(matcher -> names.nameOfFunction(Integer.parseInt(matcher.group(1))))
                .filter(name -> name != null)
                .limit(BACKTRACE_FRAMES)
                .toList();
    }
}
