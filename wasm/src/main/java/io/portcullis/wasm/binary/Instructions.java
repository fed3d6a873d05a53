package io.portcullis.wasm.binary;

import io.portcullis.wasm.InvalidModuleException;
import java.util.function.IntConsumer;

/** Iterates over the code of a module. Allocates no objects for instructions, so a large module costs no memory here. */
public final class Instructions {

    public static final int TABLE_SET = 0x26;
    public static final int MEMORY_INIT = 0xfc08;
    public static final int DATA_DROP = 0xfc09;
    public static final int TABLE_INIT = 0xfc0c;
    public static final int ELEM_DROP = 0xfc0d;
    public static final int TABLE_COPY = 0xfc0e;
    public static final int TABLE_GROW = 0xfc0f;
    public static final int TABLE_FILL = 0xfc11;

    private static final int BULK_PREFIX = 0xfc;
    private static final int VECTOR_PREFIX = 0xfd;
    private static final int MEMORY_INDEX_FOLLOWS = 1 << 6;

    private final BinaryReader in;

    private Instructions(BinaryReader in) {
        this.in = in;
    }

    /**
     * Reports each instruction of each function in order: its opcode, or {@code prefix << 8 | number} for one with a
     * prefix.
     *
     * @param codeSection the content of the code section
     * @throws InvalidModuleException when an instruction is cut off or belongs to a proposal that the engines do not run
     */
    public static void visit(byte[] codeSection, IntConsumer opcodes) {
        var section = new BinaryReader(codeSection);
        var functions = section.count();
        for (var index = 0; index < functions; index++) {
            var body = section.range(section.number());
            skipLocals(body);
            var instructions = new Instructions(body);
            while (body.hasMore()) {
                opcodes.accept(instructions.next());
            }
        }
    }

    private static void skipLocals(BinaryReader body) {
        var groups = body.count();
        for (var group = 0; group < groups; group++) {
            body.number();
            body.valueType();
        }
    }

    private int next() {
        var opcode = in.octet();
        if (opcode == BULK_PREFIX) {
            return BULK_PREFIX << 8 | bulk();
        }
        if (opcode == VECTOR_PREFIX) {
            return VECTOR_PREFIX << 8 | vector();
        }
        if (opcode >= 0x28 && opcode <= 0x3e) {
            skipMemoryOperand();
        } else if (opcode < 0x45 || opcode > 0xc4) { // comparisons, arithmetic and conversions have no operands
            skipOperands(opcode);
        }
        return opcode;
    }

    private void skipOperands(int opcode) {
        switch (opcode) {
            case 0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1, 0xd3, 0xd4 -> {}
            case 0x02, 0x03, 0x04 -> skipBlockType();
            case 0x0c, 0x0d, 0x10, 0x12, 0x14, 0x15 -> in.skipLeb();
            case 0x0e -> skipBranchTable();
            case 0x11, 0x13 -> skipLebs(2);
            case 0x1c -> {
                var types = in.count();
                for (var index = 0; index < types; index++) {
                    in.valueType();
                }
            }
            case 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0x41, 0x42 -> in.skipLeb();
            case 0x43 -> in.skip(4);
            case 0x44 -> in.skip(8);
            case 0xd0, 0xd2, 0xd5, 0xd6 -> in.skipLeb();
            default ->
                throw new InvalidModuleException("the module has the unsupported instruction 0x%02x".formatted(opcode));
        }
    }

    private int bulk() {
        var number = (int) in.number();
        switch (number) {
            case 0, 1, 2, 3, 4, 5, 6, 7 -> {}
            case 9, 11, 13, 15, 16, 17 -> in.skipLeb();
            case 8, 10, 12, 14 -> skipLebs(2);
            default ->
                throw new InvalidModuleException(
                        "the module has the unsupported instruction 0xfc %d".formatted(number));
        }
        return number;
    }

    private int vector() {
        var number = (int) in.number();
        if (number < 0 || number > 0x1ff) {
            throw new InvalidModuleException("the module has the unsupported instruction 0xfd %d".formatted(number));
        }
        if (number <= 11 || number == 92 || number == 93) {
            skipMemoryOperand();
        } else if (number == 12 || number == 13) {
            in.skip(16);
        } else if (number >= 21 && number <= 34) {
            in.skip(1);
        } else if (number >= 84 && number <= 91) {
            skipMemoryOperand();
            in.skip(1);
        }
        return number;
    }

    private void skipMemoryOperand() {
        if ((in.number() & MEMORY_INDEX_FOLLOWS) != 0) {
            in.skipLeb();
        }
        in.skipLeb();
    }

    /** Nothing, a value type, or the index of a type; a typed reference has a second part. */
    private void skipBlockType() {
        var first = in.octet();
        if (first == 0x63 || first == 0x64 || (first & 0x80) != 0) {
            in.skipLeb();
        }
    }

    private void skipBranchTable() {
        skipLebs(in.count());
        in.skipLeb();
    }

    private void skipLebs(int count) {
        for (var index = 0; index < count; index++) {
            in.skipLeb();
        }
    }
}
