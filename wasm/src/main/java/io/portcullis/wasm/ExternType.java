package io.portcullis.wasm;

import java.util.OptionalLong;

/** The type of an import or export. */
public sealed interface ExternType {

    record Function(FunctionType type) implements ExternType {}

    /** Sizes in pages of 64 KiB. */
    record Memory(long minimumPages, OptionalLong maximumPages) implements ExternType {}

    record Global(ValueType type, boolean mutable) implements ExternType {}

    record Table() implements ExternType {}

    /** Exception tags and types of later proposals, which cannot be linked here. */
    record Other() implements ExternType {}
}
