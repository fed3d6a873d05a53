package io.portcullis.wasm.preinit;

import io.portcullis.wasm.binary.BinaryWriter;
import io.portcullis.wasm.binary.ModuleSections;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Writes a snapshot into a module. Has no side effects. */
final class Rewriter {

    private static final int I32 = 0x7f;
    private static final int I64 = 0x7e;
    private static final int F32 = 0x7d;
    private static final int F64 = 0x7c;
    private static final int END = 0x0b;
    private static final int I32_CONST = 0x41;

    private final SnapshotModule module;
    private final Snapshot snapshot;

    Rewriter(SnapshotModule module, Snapshot snapshot) {
        this.module = module;
        this.snapshot = snapshot;
    }

    byte[] rewrite(Set<String> spentExports) {
        var rewritten = module.with(ModuleSections.MEMORY, memory())
                .with(ModuleSections.EXPORT, exports(spentExports))
                .with(ModuleSections.DATA, data())
                .without(ModuleSections.START)
                .without(ModuleSections.DATA_COUNT); // only needed by instructions that Suitability excludes
        if (module.has(ModuleSections.GLOBAL)) {
            rewritten = rewritten.with(ModuleSections.GLOBAL, globals());
        }
        if (module.has(ModuleSections.IMPORT)) {
            rewritten = rewritten.with(ModuleSections.IMPORT, imports());
        }
        return rewritten.bytes();
    }

    /** Sets the size of the memory to the size in the snapshot. An imported memory becomes a defined one with the same index. */
    private byte[] memory() {
        var declared = module.memories().isEmpty()
                ? module.imports().stream()
                        .flatMap(wanted -> wanted.memory().stream())
                        .findFirst()
                        .orElseThrow()
                : module.memories().getFirst();
        var limits =
                new BinaryWriter().octet(declared.maximum().isPresent() ? 1 : 0).number(snapshot.pages());
        declared.maximum().ifPresent(limits::number);
        return SnapshotModule.list(List.of(limits.bytes()));
    }

    private byte[] imports() {
        return SnapshotModule.list(module.imports().stream()
                .filter(wanted -> wanted.kind() != SnapshotModule.EXTERN_MEMORY)
                .map(SnapshotModule.Import::entry)
                .toList());
    }

    private byte[] globals() {
        var entries = new ArrayList<byte[]>();
        var values = snapshot.globals().iterator();
        for (var global : module.globals()) {
            entries.add(new BinaryWriter()
                    .raw(global.head())
                    .raw(global.mutable() ? constant(global.type(), values.next()) : global.expression())
                    .bytes());
        }
        return SnapshotModule.list(entries);
    }

    private static byte[] constant(int type, long bits) {
        var writer = new BinaryWriter();
        var low = (int) bits;
        switch (type) {
            case I32 -> writer.octet(I32_CONST).signed(low);
            case I64 -> writer.octet(0x42).signed(bits);
            case F32 -> writer.octet(0x43).littleEndian(low);
            case F64 -> writer.octet(0x44).littleEndian(bits);
            default -> throw new UnsupportedModuleException("the module has a mutable global that is no number");
        }
        return writer.octet(END).bytes();
    }

    /** Exports the memory as {@code memory}, even when it was imported under another name. */
    private byte[] exports(Set<String> spent) {
        var entries = new ArrayList<byte[]>();
        var memoryIsExported = false;
        for (var export : module.exports()) {
            if (!spent.contains(export.name())) {
                entries.add(new BinaryWriter()
                        .name(export.name())
                        .octet(export.kind())
                        .number(export.index())
                        .bytes());
                memoryIsExported |= export.name().equals("memory");
            }
        }
        if (!memoryIsExported) {
            entries.add(new BinaryWriter()
                    .name("memory")
                    .octet(SnapshotModule.EXTERN_MEMORY)
                    .number(0)
                    .bytes());
        }
        return SnapshotModule.list(entries);
    }

    private byte[] data() {
        var writer = new BinaryWriter().number(snapshot.stretches().size());
        for (var stretch : snapshot.stretches()) {
            var address = (int) stretch.start(); // addresses are unsigned, constants are not
            writer.number(0)
                    .octet(I32_CONST)
                    .signed(address)
                    .octet(END)
                    .number(stretch.bytes().length)
                    .raw(stretch.bytes());
        }
        return writer.bytes();
    }
}
