package io.portcullis.wasm.wasi;

import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.GuestExitException;
import io.portcullis.wasm.HostFunction;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.Memory;
import io.portcullis.wasm.TrapException;
import io.portcullis.wasm.ValueType;
import java.util.List;

/**
 * All functions of WASI preview 1 ({@code wasi_snapshot_preview1}) and preview 0 ({@code wasi_unstable}) as imports for
 * a module. The state of the instance must be a {@link WasiGuest}. A pointer out of range ends the guest with a trap.
 */
public final class Wasi {

    public static final String PREVIEW1 = "wasi_snapshot_preview1";
    public static final String PREVIEW0 = "wasi_unstable";

    private static final long FIRST_INVALID_EXIT_CODE = 126;

    private static final HostImports IMPORTS = HostImports.builder()
            .include(imports(PREVIEW1))
            .include(imports(PREVIEW0))
            .build();

    private Wasi() {}

    /** Both modules. Stateless: one object serves all modules and instances. */
    public static HostImports imports() {
        return IMPORTS;
    }

    /** A WASI function: arguments in, error number out. */
    @FunctionalInterface
    interface Body {
        long call(Call call, long[] arguments);
    }

    /** The context of a function call besides its arguments. */
    record Call(Instance instance, WasiContext context) {
        Memory memory() {
            return instance.memory();
        }
    }

    private static HostImports imports(String module) {
        var table = new Table(module);
        table.add("args_get", "ii", (call, a) -> Lists.get(call, call.context().arguments(), a));
        table.add(
                "args_sizes_get",
                "ii",
                (call, a) -> Lists.sizes(call, call.context().arguments(), a));
        table.add(
                "environ_get", "ii", (call, a) -> Lists.get(call, call.context().environment(), a));
        table.add(
                "environ_sizes_get",
                "ii",
                (call, a) -> Lists.sizes(call, call.context().environment(), a));
        table.add("clock_res_get", "ii", Clocks::resolution);
        table.add("clock_time_get", "iIi", Clocks::time);
        table.add("random_get", "ii", Streams::random);
        table.add("sched_yield", "", Wasi::yieldProcessor);
        table.add("poll_oneoff", "iiii", module.equals(PREVIEW0) ? Polling.PREVIEW0 : Polling.PREVIEW1);
        table.add("proc_raise", "i", (_, a) -> {
            throw TrapException.byHost("proc_raise is not supported: signal " + a[0]);
        });
        table.addWithoutResult("proc_exit", "i", Wasi::exit);

        table.add("fd_read", "iiii", Streams::read);
        table.add("fd_write", "iiii", Streams::write);
        table.add("fd_close", "i", Streams::close);
        table.add("fd_fdstat_get", "ii", Streams::status);
        table.add("fd_filestat_get", "ii", (call, a) -> Streams.fileStatus(call, a, module.equals(PREVIEW0) ? 56 : 64));
        table.add("fd_seek", "iIii", Streams::seek);
        table.add("fd_tell", "ii", Streams::seek);
        table.add("fd_renumber", "ii", Streams::renumber);

        for (var denied : List.of(
                "fd_advise iIIi",
                "fd_allocate iII",
                "fd_datasync i",
                "fd_fdstat_set_flags ii",
                "fd_fdstat_set_rights iII",
                "fd_filestat_set_size iI",
                "fd_filestat_set_times iIIi",
                "fd_pread iiiIi",
                "fd_prestat_get ii",
                "fd_prestat_dir_name iii",
                "fd_pwrite iiiIi",
                "fd_readdir iiiIi",
                "fd_sync i",
                "path_create_directory iii",
                "path_filestat_get iiiii",
                "path_filestat_set_times iiiiIIi",
                "path_link iiiiiii",
                "path_open iiiiiIIii",
                "path_readlink iiiiii",
                "path_remove_directory iii",
                "path_rename iiiiii",
                "path_symlink iiiii",
                "path_unlink_file iii",
                "sock_accept iii",
                "sock_recv iiiiii",
                "sock_send iiiii",
                "sock_shutdown ii")) {
            var parts = denied.split(" ", 2);
            table.add(parts[0], parts[1], (_, _) -> Errno.BADF);
        }
        return table.builder.build();
    }

    private static long exit(Call call, long[] arguments) {
        var code = arguments[0];
        if (code >= FIRST_INVALID_EXIT_CODE) {
            throw TrapException.byHost("exit with invalid exit status outside of [0..126): " + code);
        }
        throw new GuestExitException((int) code);
    }

    @SuppressWarnings("ThreadPriorityCheck") // the guest asks for just this
    private static long yieldProcessor(Call call, long[] arguments) {
        Thread.yield();
        return Errno.SUCCESS;
    }

    /** Collects functions of one module. In a signature {@code i} is an i32 and {@code I} an i64. */
    private static final class Table {
        private final String module;
        private final HostImports.Builder builder = HostImports.builder();

        Table(String module) {
            this.module = module;
        }

        void add(String name, String signature, Body body) {
            add(name, signature, List.of(ValueType.I32), body);
        }

        void addWithoutResult(String name, String signature, Body body) {
            add(name, signature, List.of(), body);
        }

        private void add(String name, String signature, List<ValueType> results, Body body) {
            var parameters = signature
                    .chars()
                    .mapToObj(letter -> letter == 'I' ? ValueType.I64 : ValueType.I32)
                    .toList();
            builder.function(module, name, new FunctionType(parameters, results), bind(name, body));
        }

        private static HostFunction bind(String name, Body body) {
            return (caller, arguments) -> {
                if (!(caller.state() instanceof WasiGuest guest)) {
                    throw new IllegalStateException(
                            "the module calls " + name + " of WASI but its host state is no WasiGuest");
                }
                return body.call(new Call(caller, guest.wasi()), arguments);
            };
        }
    }
}
