package io.portcullis.wasm.preinit;

import io.portcullis.wasm.binary.BinaryWriter;
import io.portcullis.wasm.binary.ModuleSections;
import java.util.ArrayList;
import java.util.List;

/**
 * Adds an exported getter for each mutable global, so that the snapshot can read globals that the module does
 * not export. Everything is appended: no index of the module changes.
 */
final class Getters {

    private static final int FUNCTION_TYPE = 0x60;
    private static final int GLOBAL_GET = 0x23;
    private static final int END = 0x0b;

    private Getters() {}

    /** The export that reads the mutable global with this number, counting mutable ones only. */
    static String name(int mutableGlobal) {
        return "portcullis.global." + mutableGlobal;
    }

    static byte[] addTo(SnapshotModule module) {
        var types = new ArrayList<byte[]>();
        var functions = new ArrayList<byte[]>();
        var exports = new ArrayList<byte[]>();
        var bodies = new ArrayList<byte[]>();
        var globals = module.globals();
        for (var index = 0; index < globals.size(); index++) {
            if (!globals.get(index).mutable()) {
                continue;
            }
            var number = types.size();
            types.add(new BinaryWriter()
                    .octet(FUNCTION_TYPE)
                    .number(0)
                    .number(1)
                    .octet(globals.get(index).type())
                    .bytes());
            functions.add(new BinaryWriter()
                    .number(module.count(ModuleSections.TYPE) + number)
                    .bytes());
            exports.add(new BinaryWriter()
                    .name(name(number))
                    .octet(SnapshotModule.EXTERN_FUNCTION)
                    .number(module.functions() + number)
                    .bytes());
            bodies.add(body(index));
        }
        return types.isEmpty() ? module.bytes() : append(module, types, functions, exports, bodies);
    }

    private static byte[] append(
            SnapshotModule module,
            List<byte[]> types,
            List<byte[]> functions,
            List<byte[]> exports,
            List<byte[]> bodies) {
        return module.append(ModuleSections.TYPE, types)
                .append(ModuleSections.FUNCTION, functions)
                .append(ModuleSections.EXPORT, exports)
                .append(ModuleSections.CODE, bodies)
                .bytes();
    }

    private static byte[] body(int global) {
        var code = new BinaryWriter()
                .number(0)
                .octet(GLOBAL_GET)
                .number(global)
                .octet(END)
                .bytes();
        return new BinaryWriter().number(code.length).raw(code).bytes();
    }
}
