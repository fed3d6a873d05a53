package io.portcullis.wasm;

/**
 * A function of the host that a guest may call, on the guest's thread.
 *
 * <p>Throwing {@link WasmException} ends the guest with just that exception. Anything else that is thrown is a bug of
 * the host and reaches the caller of {@link Instance#call} as a {@link TrapException} with the cause.
 */
@FunctionalInterface
public interface HostFunction {

    /** @return the raw bits of the single result; ignored when the function's type has none */
    long call(Instance caller, long[] arguments);
}
