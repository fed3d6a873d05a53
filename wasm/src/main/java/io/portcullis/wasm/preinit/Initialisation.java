package io.portcullis.wasm.preinit;

import io.portcullis.wasm.GuestExitException;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.wasi.Wasi;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * How a kind of module is started. The start section always runs; {@code steps} does the rest on the instance, for
 * example calls exports, and may keep the results.
 *
 * @param imports the imports that are available during start-up
 * @param harmless the permitted host calls: they always return the same result and change nothing. Any other call
 *     makes the module {@link PreInitialised.Unchanged}
 * @param hostState handed to the instance
 * @param spentExports exports that {@code steps} has used up; the initialised module does not have them
 * @param steps runs after the start section
 */
public record Initialisation(
        HostImports imports, Harmless harmless, Object hostState, Set<String> spentExports, Consumer<Instance> steps) {

    /** Decides whether one call of an import is harmless. */
    @FunctionalInterface
    public interface Harmless {
        boolean allows(HostImports.Name name, long[] arguments);
    }

    /**
     * The random bytes that Rust's hash maps request once. Random numbers of the start-up are the same in all instances, as the
     * hash seed of any long-running program is. More bytes could seed a generator, which must differ between instances.
     */
    private static final long HASH_SEED_BYTES = 16;

    /** WASI functions with fixed results for a guest without arguments, environment and files. */
    private static final Set<String> FIXED_WASI = Set.of(
            "args_sizes_get",
            "args_get",
            "environ_sizes_get",
            "environ_get",
            "fd_prestat_get",
            "fd_prestat_dir_name",
            "fd_fdstat_get",
            "clock_res_get",
            "sched_yield",
            "proc_exit");

    private static final List<String> WAPC_STARTS = List.of("_start", "_initialize", "wapc_init");

    public Initialisation {
        spentExports = Set.copyOf(spentExports);
    }

    /**
     * The start of a waPC guest: {@code _start}, or else {@code _initialize}, then {@code wapc_init}, each where
     * exported. Leaving {@code _start} with exit code 0 is a normal end.
     *
     * @param hostState a {@link io.portcullis.wasm.wasi.WasiGuest} without arguments and environment
     */
    public static Initialisation wapc(HostImports imports, Object hostState) {
        return new Initialisation(
                imports, Initialisation::allowsWasi, hostState, Set.copyOf(WAPC_STARTS), Initialisation::startWapc);
    }

    /** Accepts WASI calls with fixed results, and one hash seed. */
    public static boolean allowsWasi(HostImports.Name name, long[] arguments) {
        if (!name.module().equals(Wasi.PREVIEW1) && !name.module().equals(Wasi.PREVIEW0)) {
            return false;
        }
        return FIXED_WASI.contains(name.name())
                || (name.name().equals("random_get") && arguments[1] <= HASH_SEED_BYTES);
    }

    private static void startWapc(Instance instance) {
        for (var start : WAPC_STARTS) {
            if (instance.exports(start) && !(start.equals("_initialize") && instance.exports("_start"))) {
                callUntilExit(instance, start);
            }
        }
    }

    private static void callUntilExit(Instance instance, String start) {
        try {
            instance.call(start);
        } catch (GuestExitException exit) {
            if (exit.code() != 0) {
                throw exit;
            }
        }
    }
}
