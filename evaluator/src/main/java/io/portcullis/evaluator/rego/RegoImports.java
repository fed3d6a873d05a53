package io.portcullis.evaluator.rego;

import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.ExternType;
import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.TrapException;
import java.util.Arrays;
import java.util.OptionalLong;

/** What a Rego module imports: a memory, two ways to speak, and the calls of builtins with zero to four arguments. */
final class RegoImports {

    private static final String MODULE = "env";
    private static final long USUAL_PAGES = 5;
    private static final int MOST_ARGUMENTS = 4;
    private static final int LONGEST_LINE = 4 << 10;

    private RegoImports() {}

    /** With a memory as large as modules usually want. */
    static HostImports all() {
        return withMemory(USUAL_PAGES);
    }

    /** With a memory as large as the module wants. */
    static HostImports of(CompiledModule module) {
        return withMemory(Math.max(USUAL_PAGES, declaredPages(module)));
    }

    private static HostImports withMemory(long pages) {
        var imports = HostImports.builder()
                .memory(MODULE, "memory", pages, OptionalLong.empty())
                .function(MODULE, "opa_abort", FunctionType.i32s(1, 0), RegoImports::abort)
                .function(MODULE, "opa_println", FunctionType.i32s(1, 0), RegoImports::print);
        for (int count = 0; count <= MOST_ARGUMENTS; count++) {
            imports.function(MODULE, "opa_builtin" + count, FunctionType.i32s(2 + count, 1), RegoImports::builtin);
        }
        return imports.build();
    }

    private static long declaredPages(CompiledModule module) {
        return module.imports().stream()
                .filter(wanted ->
                        wanted.module().equals(MODULE) && wanted.name().equals("memory"))
                .mapToLong(wanted -> wanted.type() instanceof ExternType.Memory memory ? memory.minimumPages() : 0)
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
        return new RegoInstance(caller).line(RegoInstance.unsigned(address), LONGEST_LINE);
    }

    /** Arguments: the builtin's number, a context that is not used, then the addresses of the operands. */
    private static long builtin(Instance caller, long[] arguments) {
        var operands = Arrays.stream(arguments, 2, arguments.length)
                .map(RegoInstance::unsigned)
                .toArray();
        var evaluation = (RegoEvaluation) caller.state();
        return evaluation.call(new RegoInstance(caller), (int) arguments[0], operands);
    }
}
