package io.portcullis.wasm.preinit;

import io.portcullis.wasm.binary.Instructions;
import java.util.Map;
import java.util.Set;

/** Checks that memory and globals are the complete state of a module. Named checks, in order. */
final class Suitability {

    /** Instructions that change state outside the snapshot: tables, and the set of dropped segments. */
    private static final Map<Integer, String> HIDDEN_STATE = Map.of(
            Instructions.TABLE_SET, "TABLE_SET",
            Instructions.TABLE_GROW, "TABLE_GROW",
            Instructions.TABLE_FILL, "TABLE_FILL",
            Instructions.TABLE_COPY, "TABLE_COPY",
            Instructions.TABLE_INIT, "TABLE_INIT",
            Instructions.ELEM_DROP, "ELEM_DROP",
            Instructions.MEMORY_INIT, "MEMORY_INIT",
            Instructions.DATA_DROP, "DATA_DROP");

    private static final Set<Integer> NUMBERS = Set.of(0x7f, 0x7e, 0x7d, 0x7c);

    private Suitability() {}

    /** @throws UnsupportedModuleException when the module has other state; the message contains the reason */
    static void check(SnapshotModule module) {
        hasOneMemoryInReach(module);
        importsNothingButFunctionsAndItsMemory(module);
        hasNoPassiveData(module);
        hasNumbersInItsMutableGlobals(module);
        changesNothingHidden(module);
    }

    private static void hasOneMemoryInReach(SnapshotModule module) {
        var imported = module.imports().stream()
                .filter(wanted -> wanted.kind() == SnapshotModule.EXTERN_MEMORY)
                .count();
        if (imported + module.memories().size() != 1) {
            throw new UnsupportedModuleException("the module does not have exactly one memory");
        }
        var exported = module.exports().stream()
                .anyMatch(export -> export.name().equals("memory") && export.kind() == SnapshotModule.EXTERN_MEMORY);
        if (imported == 0 && !exported) {
            throw new UnsupportedModuleException("the module does not export its memory");
        }
    }

    private static void importsNothingButFunctionsAndItsMemory(SnapshotModule module) {
        for (var wanted : module.imports()) {
            if (wanted.kind() != SnapshotModule.EXTERN_FUNCTION && wanted.kind() != SnapshotModule.EXTERN_MEMORY) {
                throw new UnsupportedModuleException("the module imports a table or a global");
            }
        }
    }

    private static void hasNoPassiveData(SnapshotModule module) {
        if (module.hasPassiveData()) {
            throw new UnsupportedModuleException("the module has passive data segments");
        }
    }

    private static void hasNumbersInItsMutableGlobals(SnapshotModule module) {
        for (var global : module.globals()) {
            if (global.mutable() && !NUMBERS.contains(global.type())) {
                throw new UnsupportedModuleException("the module has a mutable global that is no number");
            }
        }
    }

    private static void changesNothingHidden(SnapshotModule module) {
        Instructions.visit(module.code(), opcode -> {
            var name = HIDDEN_STATE.get(opcode);
            if (name != null) {
                throw new UnsupportedModuleException("the module uses " + name + ", whose effect is not in its memory");
            }
        });
    }
}
