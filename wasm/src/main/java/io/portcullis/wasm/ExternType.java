package io.portcullis.wasm;

import java.util.OptionalLong;

/** What can be imported or exported. */
public sealed interface ExternType {

    record Function(FunctionType type) implements ExternType {}

    /** Sizes in pages of 64 KiB. */
    record Memory(long minimumPages, OptionalLong maximumPages) implements ExternType {}

    record Global(ValueType type, boolean mutable) implements ExternType {}

    record Table() implements ExternType {}

    /** Exception tags and what later proposals add: never linkable here. */
    record Other() implements ExternType {}
}
