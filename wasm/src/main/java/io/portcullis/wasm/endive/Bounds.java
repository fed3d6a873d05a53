package io.portcullis.wasm.endive;

import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.TrapException;
import io.portcullis.wasm.binary.ModuleOutline;
import java.util.List;
import java.util.OptionalLong;
import run.endive.runtime.ByteArrayMemory;
import run.endive.runtime.TableInstance;
import run.endive.wasm.WasmModule;
import run.endive.wasm.types.MemoryLimits;
import run.endive.wasm.types.Table;
import run.endive.wasm.types.TableLimits;

/** Applies limits when Endive creates memories and tables. A smaller maximum makes growing fail inside the guest. */
record Bounds(long bytesPerMemory, int elementsPerTable) {

    private static final int PAGE_BYTES = 64 << 10;

    /** The share of each memory and table of a module. */
    static Bounds of(SizeLimits limits, ModuleOutline outline) {
        return new Bounds(limits.bytesPerMemory(outline.memories()), limits.elementsPerTable(outline.tables()));
    }

    /** @throws TrapException when the module starts above the limit */
    void check(WasmModule module) {
        module.memorySection().ifPresent(section -> {
            for (var index = 0; index < section.memoryCount(); index++) {
                checkMemory(section.getMemory(index).limits().initialPages());
            }
        });
        for (var index = 0; index < module.tableSection().tableCount(); index++) {
            var minimum = module.tableSection().getTable(index).limits().min();
            if (minimum > elementsPerTable) {
                throw limit("table minimum size of %d elements exceeds the limit of %d"
                        .formatted(minimum, elementsPerTable));
            }
        }
    }

    run.endive.runtime.Memory memory(MemoryLimits declared) {
        return memory(declared.initialPages(), OptionalLong.of(declared.maximumPages()));
    }

    run.endive.runtime.Memory memory(long minimum, OptionalLong maximum) {
        checkMemory(minimum);
        var most = Math.min(maximum.orElse(Long.MAX_VALUE), maximumPages());
        return new ByteArrayMemory(new MemoryLimits((int) minimum, (int) Math.max(minimum, most)));
    }

    TableInstance table(Table declared, int initialValue) {
        var most = Math.min(declared.limits().max(), elementsPerTable);
        return new TableInstance(
                new Table(
                        declared.elementType(),
                        new TableLimits(
                                declared.limits().min(),
                                Math.max(declared.limits().min(), most))),
                initialValue);
    }

    private void checkMemory(long minimum) {
        if (minimum > maximumPages()) {
            throw limit("memory minimum size of %d pages exceeds the limit of %d".formatted(minimum, maximumPages()));
        }
    }

    private long maximumPages() {
        return Math.min(bytesPerMemory / PAGE_BYTES, run.endive.runtime.Memory.RUNTIME_MAX_PAGES);
    }

    private static TrapException limit(String message) {
        return new TrapException(TrapException.Kind.LIMIT, message, List.of(), null);
    }
}
