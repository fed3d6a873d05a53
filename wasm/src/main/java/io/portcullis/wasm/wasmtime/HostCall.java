package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The upcall from Wasmtime to one host function. Exceptions must not pass native frames. So the instance stores the
 * exception, a trap ends the guest, and {@link WasmtimeInstance} rethrows it.
 */
final class HostCall {

    private static final MethodHandle INVOKE;

    static {
        try {
            INVOKE = MethodHandles.lookup()
                    .findVirtual(
                            HostCall.class,
                            "invoke",
                            MethodType.methodType(long.class, long.class, long.class, long.class, long.class));
        } catch (ReflectiveOperationException impossible) {
            throw new LinkageError("HostCall.invoke", impossible);
        }
    }

    private final Wasmtime wasmtime;
    private final HostImports.Function function;
    private final ValueType[] parameters;
    private final boolean returns;
    private final MemorySegment trapMessage;

    HostCall(Wasmtime wasmtime, HostImports.Function function, MemorySegment trapMessage) {
        this.wasmtime = wasmtime;
        this.function = function;
        this.parameters = function.type().parameters().toArray(ValueType[]::new);
        this.returns = !function.type().results().isEmpty();
        this.trapMessage = trapMessage;
    }

    /** A {@code wasmtime_func_unchecked_callback_t} that lives as long as {@code arena}. */
    MemorySegment stub(Arena arena) {
        return Linker.nativeLinker().upcallStub(INVOKE.bindTo(this), Calls.CALLBACK, arena);
    }

    /** Called from native code. */
    @SuppressWarnings({"unused", "UnusedMethod", "UnusedVariable"})
    private long invoke(long environment, long caller, long valuesAddress, long count) {
        var instance = GuestThread.current().running();
        try {
            var values = MemorySegment.ofAddress(valuesAddress).reinterpret(count * Layouts.RAW_VALUE_SIZE);
            var arguments = new long[parameters.length];
            for (var index = 0; index < arguments.length; index++) {
                arguments[index] = RawValues.get(values, index, parameters[index]);
            }
            var result = function.body().call(instance, arguments);
            if (returns) {
                RawValues.set(values, 0, function.type().results().getFirst(), result);
            }
            if (instance.deadline().hasPassed()) {
                throw new DeadlineExceededException();
            }
            instance.checkMemoryUse();
            return 0;
        } catch (Throwable thrown) { // even StackOverflowError: unwinding native frames would end the process
            instance.fail(thrown);
            return wasmtime.newTrap(trapMessage).address();
        }
    }
}
