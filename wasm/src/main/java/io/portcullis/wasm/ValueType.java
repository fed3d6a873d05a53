package io.portcullis.wasm;

/** The kinds of values that cross the border between host and guest. */
public enum ValueType {
    I32,
    I64,
    F32,
    F64,
    V128,
    REFERENCE
}
