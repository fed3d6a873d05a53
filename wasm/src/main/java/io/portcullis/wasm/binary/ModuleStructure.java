package io.portcullis.wasm.binary;

import io.portcullis.wasm.InvalidModuleException;

/**
 * Prepares a module for parsers that size arrays by the counts that a module declares, as Endive's does: checks that
 * every declared length and count fits into the bytes that are there, and drops custom sections.
 *
 * <p>This is not validation: a module that passes may still be rejected by an engine.
 */
public final class ModuleStructure {

    private static final int LAST_SECTION = ModuleSections.DATA_COUNT;
    private static final int FUNCTION_FORM = 0x60;
    private static final int TABLE_WITH_INITIAL_VALUE = 0x40;
    private static final int FUNCTION_NAMES = 1;

    /** Wasmtime accepts no more parameters, and no more results. */
    private static final int MAX_VALUES = 1_000;

    private ModuleStructure() {}

    /**
     * The module without custom sections, but with the names of its functions if those can be read.
     *
     * @throws InvalidModuleException when a declared length or count does not fit
     */
    public static byte[] checked(byte[] wasm) {
        var reader = new BinaryReader(wasm);
        var kept = new BinaryWriter().raw(reader.take(BinaryReader.HEADER_SIZE));
        var names = new byte[0];
        while (reader.hasMore()) {
            var section = reader.section();
            var id = section.id();
            var content = section.content().rest();
            if (id == ModuleSections.CUSTOM) {
                names = names.length == 0 ? functionNames(content) : names;
            } else {
                check(id, content);
                kept.section(id, content);
            }
        }
        return names.length == 0
                ? kept.bytes()
                : kept.section(ModuleSections.CUSTOM, names).bytes();
    }

    private static void check(int id, byte[] content) {
        var in = new BinaryReader(content);
        switch (id) {
            case 8 -> in.number();
            case 10 -> Instructions.visit(content, _ -> {});
            case 12 -> in.number();
            default -> {
                if (id > LAST_SECTION) {
                    throw new InvalidModuleException("the module has a section of the unsupported kind " + id);
                }
                var entries = in.count();
                for (var index = 0; index < entries; index++) {
                    checkEntry(id, in);
                }
            }
        }
    }

    private static void checkEntry(int section, BinaryReader in) {
        switch (section) {
            case 1 -> functionType(in);
            case 2 -> imported(in);
            case 3 -> in.number();
            case 4 -> table(in);
            case 5 -> in.limits();
            case 6 -> {
                in.valueType();
                in.octet();
                in.skipExpression();
            }
            case 7 -> {
                in.skip(in.number());
                in.octet();
                in.number();
            }
            case 9 -> element(in);
            case 11 -> data(in);
            default -> throw new InvalidModuleException("the module has a section of unknown kind");
        }
    }

    private static void functionType(BinaryReader in) {
        if (in.octet() != FUNCTION_FORM) {
            throw new InvalidModuleException("the module defines types of the garbage-collection proposal");
        }
        values(in);
        values(in);
    }

    private static void values(BinaryReader in) {
        var count = in.count();
        if (count > MAX_VALUES) {
            throw new InvalidModuleException("a function of the module has more than " + MAX_VALUES + " values");
        }
        for (var index = 0; index < count; index++) {
            in.valueType();
        }
    }

    private static void imported(BinaryReader in) {
        in.skip(in.number());
        in.skip(in.number());
        switch (in.octet()) {
            case 0 -> in.number();
            case 1 -> {
                in.valueType();
                in.skipLimits();
            }
            case 2 -> in.limits();
            case 3 -> {
                in.valueType();
                in.octet();
            }
            default -> throw new InvalidModuleException("the module imports a thing of unknown kind");
        }
    }

    private static void table(BinaryReader in) {
        if (in.valueType() == TABLE_WITH_INITIAL_VALUE) {
            in.octet();
            in.valueType();
            in.skipLimits();
            in.skipExpression();
        } else {
            in.skipLimits();
        }
    }

    private static void element(BinaryReader in) {
        var flags = in.number();
        if (flags > 7) {
            throw new InvalidModuleException("the module has an element segment of unknown kind " + flags);
        }
        var isActive = (flags & 1) == 0;
        if (isActive && (flags & 2) != 0) {
            in.number();
        }
        if (isActive) {
            in.skipExpression();
        }
        if ((flags & 3) != 0) {
            in.valueType();
        }
        var count = in.count();
        for (var index = 0; index < count; index++) {
            if ((flags & 4) != 0) {
                in.skipExpression();
            } else {
                in.number();
            }
        }
    }

    private static void data(BinaryReader in) {
        var flags = in.number();
        if (flags == 2) {
            in.number();
        }
        if (flags != 1) {
            in.skipExpression();
        }
        in.skip(in.number());
    }

    /** A name section with nothing but the names of functions; empty when the content is something else or broken. */
    private static byte[] functionNames(byte[] content) {
        var in = new BinaryReader(content);
        try {
            if (!in.name().equals("name")) {
                return new byte[0];
            }
            while (in.hasMore()) {
                var subsection = in.section();
                if (subsection.id() == FUNCTION_NAMES) {
                    var names = subsection.content().rest();
                    checkNames(new BinaryReader(names));
                    return new BinaryWriter()
                            .name("name")
                            .section(FUNCTION_NAMES, names)
                            .bytes();
                }
            }
            return new byte[0];
        } catch (InvalidModuleException broken) {
            return new byte[0];
        }
    }

    private static void checkNames(BinaryReader names) {
        var count = names.count();
        for (var index = 0; index < count; index++) {
            names.number();
            names.skip(names.number());
        }
        if (names.hasMore()) {
            throw new InvalidModuleException("the name section has trailing bytes");
        }
    }
}
