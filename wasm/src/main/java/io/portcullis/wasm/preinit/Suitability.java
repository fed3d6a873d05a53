package io.portcullis.wasm.preinit;

import java.util.EnumSet;
import java.util.Set;
import run.endive.wasm.Parser;
import run.endive.wasm.WasmEngineException;
import run.endive.wasm.WasmModule;
import run.endive.wasm.types.OpCode;

/** Whether a snapshot of memory and globals is all there is to know about a module's state. Named checks, in order. */
final class Suitability {

    /** Instructions that change what a snapshot does not hold: tables, and which segments are still there. */
    private static final Set<OpCode> HIDDEN_STATE = EnumSet.of(
            OpCode.TABLE_SET,
            OpCode.TABLE_GROW,
            OpCode.TABLE_FILL,
            OpCode.TABLE_COPY,
            OpCode.TABLE_INIT,
            OpCode.ELEM_DROP,
            OpCode.MEMORY_INIT,
            OpCode.DATA_DROP);

    private static final Set<Integer> NUMBERS = Set.of(0x7f, 0x7e, 0x7d, 0x7c);

    private Suitability() {}

    /** @throws UnsupportedModuleException when not; the message says why */
    static void check(byte[] wasm, ModuleBinary module) {
        hasOneMemoryInReach(module);
        importsNothingButFunctionsAndItsMemory(module);
        hasNoPassiveData(module);
        hasNumbersInItsMutableGlobals(module);
        changesNothingHidden(wasm);
    }

    private static void hasOneMemoryInReach(ModuleBinary module) {
        var imported = module.imports().stream()
                .filter(wanted -> wanted.kind() == ModuleBinary.EXTERN_MEMORY)
                .count();
        if (imported + module.memories().size() != 1) {
            throw new UnsupportedModuleException("the module does not have exactly one memory");
        }
        var exported = module.exports().stream()
                .anyMatch(export -> export.name().equals("memory") && export.kind() == ModuleBinary.EXTERN_MEMORY);
        if (imported == 0 && !exported) {
            throw new UnsupportedModuleException("the module does not export its memory");
        }
    }

    private static void importsNothingButFunctionsAndItsMemory(ModuleBinary module) {
        for (var wanted : module.imports()) {
            if (wanted.kind() != ModuleBinary.EXTERN_FUNCTION && wanted.kind() != ModuleBinary.EXTERN_MEMORY) {
                throw new UnsupportedModuleException("the module imports a table or a global");
            }
        }
    }

    private static void hasNoPassiveData(ModuleBinary module) {
        if (module.hasPassiveData()) {
            throw new UnsupportedModuleException("the module has passive data segments");
        }
    }

    private static void hasNumbersInItsMutableGlobals(ModuleBinary module) {
        for (var global : module.globals()) {
            if (global.mutable() && !NUMBERS.contains(global.type())) {
                throw new UnsupportedModuleException("the module has a mutable global that is no number");
            }
        }
    }

    private static void changesNothingHidden(byte[] wasm) {
        for (var body : parse(wasm).codeSection().functionBodies()) {
            for (var instruction : body.instructions()) {
                if (HIDDEN_STATE.contains(instruction.opcode())) {
                    throw new UnsupportedModuleException(
                            "the module uses " + instruction.opcode() + ", whose effect is not in its memory");
                }
            }
        }
    }

    /** A last look at what was written: a module that does not validate never leaves this package. */
    static void checkWellFormed(byte[] wasm) {
        parse(wasm);
    }

    /** Endive's parser, because it decodes and validates every instruction. */
    private static WasmModule parse(byte[] wasm) {
        try {
            return Parser.parse(wasm);
        } catch (WasmEngineException failure) {
            throw new UnsupportedModuleException("the module is not understood: " + failure.getMessage());
        }
    }
}
