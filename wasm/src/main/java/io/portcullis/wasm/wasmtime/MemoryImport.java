package io.portcullis.wasm.wasmtime;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Instances of a module that imports its memory, as Rego modules do: each gets a memory made in its own store. Slower
 * than {@link Prelinked}; pre-initialisation turns such modules into ones that define their memory.
 *
 * @param memoryType a {@code wasm_memorytype_t}, owned
 * @param linker a {@code wasmtime_linker_t} with the functions, owned
 */
record MemoryImport(
        Wasmtime wasmtime,
        MemorySegment linker,
        MemorySegment module,
        MemorySegment memoryType,
        MemorySegment moduleName,
        MemorySegment name)
        implements WasmtimeLinkedModule.Instantiation {

    @Override
    public MemorySegment instantiate(MemorySegment context, Scratch scratch) {
        var library = wasmtime.library();
        var error = library.pointer("wasmtime_memory_new", context, memoryType, scratch.memory);
        if (error.address() != 0) {
            return error;
        }
        var own = library.pointer("wasmtime_linker_clone", linker);
        try (var arena = Arena.ofConfined()) {
            var item = arena.allocate(Layouts.EXTERN_SIZE, ValueLayout.ADDRESS.byteAlignment());
            item.set(ValueLayout.JAVA_BYTE, 0, Layouts.EXTERN_MEMORY);
            MemorySegment.copy(scratch.memory, 0, item, Layouts.EXTERN_OF, Layouts.MEMORY_SIZE);
            error = library.pointer(
                    "wasmtime_linker_define",
                    own,
                    context,
                    moduleName,
                    moduleName.byteSize(),
                    name,
                    name.byteSize(),
                    item);
            if (error.address() != 0) {
                return error;
            }
            return library.pointer("wasmtime_linker_instantiate", own, context, module, scratch.instance, scratch.trap);
        } finally {
            library.run("wasmtime_linker_delete", own);
        }
    }

    @Override
    public boolean findMemory(MemorySegment context, Scratch scratch) {
        return true;
    }

    @Override
    public void release() {
        wasmtime.library().run("wasmtime_linker_delete", linker);
        wasmtime.library().run("wasm_memorytype_delete", memoryType);
    }
}
