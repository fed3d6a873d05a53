package io.portcullis.wasm.endive;

import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.ImportMatch;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.LinkException;
import io.portcullis.wasm.Memory;
import io.portcullis.wasm.MemoryBudget;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.TrapException;
import io.portcullis.wasm.TrapException.Kind;
import io.portcullis.wasm.ValueType;
import io.portcullis.wasm.WasmException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import run.endive.runtime.HostFunction;
import run.endive.runtime.ImportFunction;
import run.endive.runtime.ImportMemory;
import run.endive.runtime.ImportValues;

/** One guest on the JVM. Confined to its thread. */
final class EndiveInstance implements Instance {

    private static final long[] NOTHING = new long[0];

    private final EndiveModule module;
    private final Watchdog watchdog;
    private final Deadline deadline;
    private final Object state;
    private final Thread thread = Thread.currentThread();
    private final MemoryBudget.Reservation reservation;
    private int depth;
    private run.endive.runtime.@Nullable Instance guest;

    /** Waits until the memory that instances of this module usually need is free. */
    EndiveInstance(EndiveModule module, Watchdog watchdog, SizeLimits limits, Deadline deadline, Object state) {
        if (deadline.hasPassed()) {
            throw new DeadlineExceededException();
        }
        this.module = module;
        this.watchdog = watchdog;
        this.deadline = deadline;
        this.state = state;
        this.reservation = module.guestMemory().reserve(module.memoryUse().expected(limits), deadline);
    }

    /** Makes the instance and runs its start section. */
    void start(ImportMatch imports, SizeLimits limits) {
        guarded(() -> {
            var bounds = Bounds.of(limits, module.outline());
            bounds.check(module.module());
            var values = ImportValues.builder()
                    .withFunctions(imports.functions().entrySet().stream()
                            .map(entry -> imported(entry.getKey(), entry.getValue()))
                            .toList());
            imports.memory()
                    .ifPresent(memory -> values.addMemory(new ImportMemory(
                            memory.name().module(),
                            memory.name().name(),
                            bounds.memory(memory.minimumPages(), memory.maximumPages()))));
            var made = run.endive.runtime.Instance.builder(module.module())
                    .withMachineFactory(module.machine())
                    .withMemoryFactory(bounds::memory)
                    .withTableFactory(bounds::table)
                    .withImportValues(values.build())
                    .withInitialize(false)
                    .build();
            guest = made; // host functions that the start section calls use this field
            made.initialize(false); // true would also run the export _start, which only the caller may run
            return NOTHING;
        });
    }

    @Override
    public boolean exports(String name) {
        return module.exports(name);
    }

    @Override
    public long[] call(String name, long... arguments) {
        var function = module.function(name);
        if (function == null) {
            throw new LinkException("the module exports no function `" + name + "` that can be called");
        }
        var parameters = function.type().parameters();
        if (arguments.length != parameters.size()) {
            throw new LinkException("the exported function `%s` takes %d parameters, not %d"
                    .formatted(name, parameters.size(), arguments.length));
        }
        var open = open();
        var results =
                guarded(() -> open.getMachine().call(function.index(), normalised(parameters, arguments.clone())));
        return normalised(function.type().results(), results == null ? NOTHING : results);
    }

    @Override
    public Memory memory() {
        var index = module.memory();
        if (index.isEmpty()) {
            throw TrapException.byHost("the module has no memory that the host can reach");
        }
        return new EndiveMemory(open().memory(index.getAsInt()));
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
        if (guest != null && module.memoryUse().isVisible()) {
            module.memoryUse().record(memory().size());
        }
        guest = null;
        reservation.close();
    }

    private void checkMemoryUse() {
        if (module.memoryUse().isVisible()) {
            reservation.growTo(memory().size());
        }
    }

    private run.endive.runtime.Instance open() {
        if (guest == null) {
            throw new IllegalStateException("the instance is closed");
        }
        if (!thread.equals(Thread.currentThread())) {
            throw new IllegalStateException("the instance belongs to another thread");
        }
        return guest;
    }

    /** Runs guest code under the watchdog and translates its exceptions into ours. */
    private long @Nullable [] guarded(Supplier<long @Nullable []> run) {
        if (deadline.hasPassed()) {
            throw new DeadlineExceededException();
        }
        if (depth == MAX_NESTED_CALLS) {
            throw Instance.nestedTooDeeply();
        }
        depth++;
        try (var _ = watchdog.watch(deadline)) {
            return run.get();
        } catch (WasmException ours) {
            throw ours;
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
            if (deadline.hasPassed()) {
                throw new DeadlineExceededException();
            }
            throw Traps.from(failure, module.module());
        } finally {
            depth--;
        }
    }

    private ImportFunction imported(HostImports.Name name, HostImports.Function function) {
        var parameters = function.type().parameters();
        var results = function.type().results();
        return new HostFunction(name.module(), name.name(), Types.endive(function.type()), (_, arguments) -> {
            var result = hostCall(function, normalised(parameters, arguments.clone()));
            if (deadline.hasPassed()) {
                throw new DeadlineExceededException();
            }
            checkMemoryUse();
            return results.isEmpty() ? NOTHING : normalised(results, new long[] {result});
        });
    }

    /** Translates failures at once, because Endive would treat a host function's StackOverflowError as the guest's. */
    private long hostCall(HostImports.Function function, long[] arguments) {
        try {
            return function.body().call(this, arguments);
        } catch (WasmException expected) {
            throw expected;
        } catch (Throwable bug) {
            throw new TrapException(Kind.HOST, "a host function failed: " + bug, List.of(), bug);
        }
    }

    /** Zero-extends 32-bit values, because Endive sign-extends them. */
    private static long[] normalised(List<ValueType> types, long[] values) {
        for (var index = 0; index < types.size(); index++) {
            var type = types.get(index);
            if (type == ValueType.I32 || type == ValueType.F32) {
                values[index] &= 0xffff_ffffL;
            }
        }
        return values;
    }
}
