package io.portcullis.evaluator.rego;

import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.ExternType;
import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.TrapException;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * The imports of a Rego module: a memory, functions for abort and print, and calls of built-ins with zero to four
 * arguments.
 */
final class RegoImports {

    private static final String MODULE = "env";
    private static final long DEFAULT_PAGES = 5;
    private static final int MAX_ARGUMENTS = 4;
    private static final int MAX_LINE_BYTES = 4 << 10;

    private RegoImports() {}

    /** Provides a memory of the default size. */
    static HostImports all() {
        return withMemory(DEFAULT_PAGES);
    }

    /** Provides a memory of the size that the module declares. */
    static HostImports of(CompiledModule module) {
        return withMemory(Math.max(DEFAULT_PAGES, declaredPages(module)));
    }

    private static HostImports withMemory(long pages) {
        var imports = HostImports.builder()
                .memory(MODULE, "memory", pages, OptionalLong.empty())
                .function(MODULE, "opa_abort", FunctionType.i32s(1, 0), RegoImports::abort)
                .function(MODULE, "opa_println", FunctionType.i32s(1, 0), RegoImports::print);
        for (int count = 0; count <= MAX_ARGUMENTS; count++) {
            imports.function(MODULE, "opa_builtin" + count, FunctionType.i32s(2 + count, 1), RegoImports::builtin);
        }
        return imports.build();
    }

    private static long declaredPages(CompiledModule module) {
        return module.imports().stream()
                .filter(imported ->
                        imported.module().equals(MODULE) && imported.name().equals("memory"))
                .mapToLong(imported -> imported.type() instanceof ExternType.Memory memory ? memory.minimumPages() : 0)
                .max()
                .orElse(0);
    }

    private static long abort(Instance caller, long[] arguments) {
        throw TrapException.byHost(lineAt(caller, arguments[0]));
    }

    private static long print(Instance caller, long[] arguments) {
        ((RegoEvaluation) caller.state()).prints().print(lineAt(caller, arguments[0]));
        return 0;
    }

    private static String lineAt(Instance caller, long address) {
        return new RegoInstance(caller).line(RegoInstance.unsigned(address), MAX_LINE_BYTES);
    }

    /**
     * Calls a built-in. Arguments: the number of the built-in, an unused context, then the addresses of the operands.
     */
    private static long builtin(Instance caller, long[] arguments) {
        var operands = Arrays.stream(arguments, 2, arguments.length)
                .map(RegoInstance::unsigned)
                .toArray();
        var evaluation = (RegoEvaluation) caller.state();
        return evaluation.call(new RegoInstance(caller), (int) arguments[0], operands);
    }
}
